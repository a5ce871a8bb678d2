"""Lengths, labels, predictions and words of hand-made records, and of a real set."""

import importlib.resources
import json
from pathlib import Path

import pytest

from bert_keras import flags
from tests.tfrecord_tools.audit.hand_made import (
    MASK,
    SHARES,
    UNK,
    A,
    B,
    C,
    X,
    audited,
    masked,
    unmasked,
    with_changes,
)
from tfrecord_tools import create_pretraining_data
from tfrecord_tools.audit import auditing
from tfrecord_tools.audit.token_ids import load_token_ids

GOLDEN = Path(__file__).parents[2] / "golden"
SAMPLE = importlib.resources.files("bert_keras") / "sample"


def test_lengths_and_padding(tmp_path):
    report = audited(tmp_path, [masked((A,), (B,), ()), masked((A,) * 5, (B,) * 4, ())])
    assert report.values["padding_share"] == pytest.approx(7 / 24)
    assert report.values["full_share"] == 0.5
    assert report.values["length_histogram"] == [0] * 5 + [1] + [0] * 6 + [1]
    assert ("lengths", "least 5, median 5, mean 8.5, most 12; 50.0% full") in report.lines


def test_labels(tmp_path):
    records = [masked(label=1)] * 9 + [masked(label=0)]
    report = audited(tmp_path, records)
    assert report.values["label_1_share"] == 0.9
    assert any("90.0% of the pairs" in finding for finding in report.findings)
    assert not any("of the pairs" in finding for finding in audited(tmp_path, records[6:]).findings)


def test_records_of_one_text_have_no_labels(tmp_path):
    report = audited(tmp_path, [masked((A, B), (), ())])
    assert report.values["label_histogram"] == [0, 0]
    assert ("labels", "none: every record holds one text") in report.lines


def test_predictions(tmp_path):
    report = audited(tmp_path, [masked(), masked(predictions=())])
    assert report.values["prediction_histogram"] == [1, 0, 1, 0]
    assert report.values["predicted_share"] == 2 / 16
    assert "1 records have nothing to predict" in report.findings


def test_words_are_those_before_masking(tmp_path):
    """A piece at the front of b, whose word truncation cut off, is a word of its own."""
    record = masked((A, X, X, B), (X, C, UNK), ((2, MASK), (4, X)))
    report = audited(tmp_path, [record])
    assert report.values["piece_histogram"][:4] == [0, 3, 0, 1]
    assert report.values["pieces_a_word"] == pytest.approx(6 / 4)
    assert report.values["unknown_share"] == pytest.approx(1 / 7)


def test_a_word_with_an_unknown_token_is_not_counted_among_the_words(tmp_path):
    """A segmenter makes words of several pieces, of which one may be unknown."""
    record = with_changes(unmasked((A, UNK, X, B), (UNK, C)), starts_word={2: 0, 3: 0})
    report = audited(tmp_path, [record])
    assert report.values["piece_histogram"][:5] == [0, 2, 0, 0, 0]
    assert report.values["pieces_a_word"] == 1
    assert report.values["unknown_share"] == pytest.approx(2 / 6)


@pytest.mark.parametrize(("num_unknown", "is_finding"), [(1, False), (2, True), (20, True)])
def test_many_unknown_tokens_are_a_finding(num_unknown, is_finding, tmp_path):
    """Of 20 tokens one is 5 %."""
    texts = [[UNK] * num_unknown + [A] * (20 - num_unknown)]
    record = masked(texts[0][:10], texts[0][10:], (), length=24)
    report = audited(tmp_path, [record])
    assert report.values["unknown_share"] == num_unknown / 20
    found = [finding for finding in report.findings if "is it the vocabulary" in finding]
    assert [f"{num_unknown / 20:.1%} of the tokens" in finding for finding in found] == (
        [True] * is_finding
    )
    assert "nan" not in str(report)


def test_the_shares_are_those_that_the_creator_counted(tmp_path):
    with pytest.raises(SystemExit):
        flags.run(
            create_pretraining_data.main,
            create_pretraining_data.Settings,
            command_line=[
                f"--input_file={SAMPLE / 'held_out.txt'}",
                f"--output_file={tmp_path}/a.tfrecord,{tmp_path}/b.tfrecord",
                f"--vocab_file={SAMPLE / 'vocab.txt'}",
                "--max_seq_length=64",
                "--dupe_factor=2",
            ],
        )
    counted = json.loads((tmp_path / "a.summary.json").read_text())
    ids = load_token_ids(SAMPLE / "vocab.txt")
    report = auditing.audit([f"{tmp_path}/{name}.tfrecord" for name in "ab"], [], ids, SHARES)
    assert report.status == 0
    values = report.values
    assert values["num_records"] == counted["num_records"]
    assert values["num_predictions"] == counted["num_masked_tokens"]
    assert values["label_1_share"] == pytest.approx(counted["random_next_share"])
    for name in ("mask_share", "kept_share", "random_share", "padding_share"):
        assert values[name] == pytest.approx(counted[name]), name


@pytest.mark.parametrize(
    ("name", "vocabulary"),
    [("s64_uncased", "uncased"), ("s128_wwm", "uncased"), ("s96_cased", "cased")],
)
def test_the_original_programs_records_are_sound(name, vocabulary):
    ids = load_token_ids(GOLDEN / "vocab" / f"bert-base-{vocabulary}-vocab.txt")
    path = GOLDEN / "create_pretraining_data" / f"{name}.tfrecord"
    report = auditing.audit([str(path)], [], ids, SHARES)
    assert report.problems == []
    assert report.findings == []
