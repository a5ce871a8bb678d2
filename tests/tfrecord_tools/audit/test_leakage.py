"""Held-out text in the training set against Python's sets."""

import random

import pytest

from bert_keras.errors import InputError
from tests.tfrecord_tools.audit.hand_made import MASK, TOKENS, A, audited, masked, write
from tfrecord_tools.audit import leakage
from tfrecord_tools.audit.leakage import RUN_LENGTH

HALF = 24  # tokens of a and of b


def record(a, b, length=60):
    """A record of two texts with one mask."""
    return masked(a, b, ((2, MASK),), length=length)


@pytest.fixture
def texts():
    rng = random.Random(1)
    return [rng.choices(range(A, len(TOKENS)), k=HALF) for _ in range(40)]


def leaks(folder, held_out, *training):
    report = audited(folder, *training, held_out=[write(folder / "held_out", held_out)])
    assert report.problems == []
    names = ("same", "half", "run")
    return tuple(report.values[f"leaked_{name}_share"] for name in names), report


def test_no_leak(tmp_path, texts):
    shares, report = leaks(tmp_path, [record(*texts[:2])], [record(*texts[2:4])])
    assert shares == (0, 0, 0)
    assert not any("held-out text" in finding for finding in report.findings)


def test_same_text_with_other_masks_and_another_length(tmp_path, texts):
    held_out = [record(*texts[:2]), record(*texts[2:4])]
    shares, report = leaks(tmp_path, held_out, [record(*texts[:2], length=80)])
    assert shares == (0.5, 0.5, 0.5)
    assert any("held-out text stands in the training set" in text for text in report.findings)
    assert report.status == 0


def test_half_of_the_runs(tmp_path, texts):
    shares, _ = leaks(tmp_path, [record(*texts[:2])], [record(texts[1], texts[2])])
    assert shares == (0, 1, 1)


@pytest.mark.parametrize(("num_shared", "found"), [(RUN_LENGTH, 1), (RUN_LENGTH - 1, 0)])
def test_a_run(num_shared, found, tmp_path, texts):
    other = texts[2][:3] + texts[0][5 : 5 + num_shared] + texts[2][:3]
    shares, _ = leaks(tmp_path, [record(*texts[:2])], [record(other, texts[3])])
    assert shares == (0, 0, found)


def test_a_run_does_not_go_over_from_a_to_b(tmp_path, texts):
    a, b = texts[:2]
    half = RUN_LENGTH // 2
    shares, _ = leaks(tmp_path, [record(a, b)], [record(texts[2] + a[-half:], b[:half] + texts[3])])
    assert shares == (0, 0, 0)


def test_a_sample_estimates_the_shares(tmp_path, texts, monkeypatch):
    monkeypatch.setattr(leakage, "MAX_HELD_OUT_RECORDS", 200)
    pairs = [(a, b) for a in texts for b in texts if a is not b]
    held_out = [record(*pair) for pair in pairs]
    random.Random(2).shuffle(pairs)
    shares, report = leaks(tmp_path, held_out, [record(*pair) for pair in pairs[: len(pairs) // 4]])
    assert 70 < report.values["num_held_out"] <= 200
    assert shares[0] == pytest.approx(0.25, abs=0.1)
    assert "sample" in dict(report.lines)["leakage"]


def test_held_out_records_must_be_sound(tmp_path):
    with pytest.raises(InputError, match="hold none"):
        leaks(tmp_path, [b"\xff"], [masked()])


def test_broken_held_out_records_are_named(tmp_path, texts):
    held_out = write(tmp_path / "held_out", [record(*texts[:2]), {}])
    report = audited(tmp_path, [record(*texts[2:4])], held_out=[held_out])
    assert report.problems[0].examples[0].startswith(f"{held_out}, record 2: ")
