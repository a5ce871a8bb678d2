"""Records of another kind or length than the set's are named."""

import pytest

from tests.tfrecord_tools.audit.hand_made import LENGTH, audited, masked, unmasked


def without(features, name):
    return {other: values for other, values in features.items() if other != name}


def longer(features):
    return {name: values + values[-1:] * 2 for name, values in features.items()} | {
        "next_sentence_labels": [0]
    }


OTHER = {
    "bytes": (masked(), b"\xff\xff\xff", "holds the features", "Example"),
    "lacks a feature": (
        masked(),
        without(masked(), "segment_ids"),
        "holds the features",
        "segment_ids",
    ),
    "another type": (
        masked(),
        masked() | {"input_ids": [1.0] * LENGTH},
        "holds the features",
        "input_ids",
    ),
    "lengths contradict": (masked(), masked() | {"input_mask": [1]}, "holds the", "input_mask"),
    "another length": (masked(), longer(masked()), "lengths of the first", "14 tokens and 5"),
    "masks among unmasked": (unmasked(), masked(), "lengths of the first", "3 predictions"),
    "masks in an unmasked record": (
        unmasked(),
        unmasked() | {"masked_lm_ids": [7]},
        "holds the features",
        "masked_lm_ids",
    ),
    "masks and word starts": (unmasked(), masked() | unmasked(), "lengths of", "3 predictions"),
    "unmasked among masks": (masked(), unmasked(), "lengths of the first", "no masks"),
}


@pytest.mark.parametrize(("sound", "other", "rule", "received"), OTHER.values(), ids=OTHER)
def test_another_record_is_named(sound, other, rule, received, tmp_path):
    report = audited(tmp_path, [sound, sound, other], [sound])
    (problem,) = report.problems
    assert rule in problem.rule
    assert problem.count == 1
    assert problem.examples[0].startswith(f"{tmp_path / '0.tfrecord'}, record 3: ")
    assert received in problem.examples[0]
    assert sum(report.values["label_histogram"]) == 3  # the others are audited


def test_the_first_sound_record_decides_on_the_layout(tmp_path):
    report = audited(tmp_path, [b"\xff", masked(), longer(masked())])
    assert report.values["max_seq_length"] == LENGTH
    assert [problem.count for problem in report.problems] == [1, 1]


def test_no_record_is_sound(tmp_path):
    report = audited(tmp_path, [b"\xff"] * 3)
    assert report.status == 1
    assert report.values["num_records"] == 3


def test_unmasked_records_are_audited_without_masks(tmp_path):
    report = audited(tmp_path, [unmasked(), unmasked(label=1)])
    assert report.status == 0
    assert report.values["max_predictions_per_seq"] is None
    assert "mask_share" not in report.values
    assert report.values["piece_histogram"][1:4] == [6, 2, 0]  # a, c, d and b ##x, twice
