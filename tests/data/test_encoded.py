"""Examples as numbers."""

import numpy as np
import pytest

from bert_keras.data.encoded import EncodedExamples

IDS = [np.array([2, 9, 3], np.int32), np.array([2, 9, 9, 3, 9, 3], np.int32)]


def test_sequences_without_segments_are_all_mask_and_segment_0():
    examples = EncodedExamples.of_sequences(IDS, values={"label_ids": np.array([1, 0])})
    assert examples.lengths.tolist() == [3, 6]
    assert [mask.tolist() for mask in examples.tokens["input_mask"]] == [[1] * 3, [1] * 6]
    assert [row.tolist() for row in examples.tokens["segment_ids"]] == [[0] * 3, [0] * 6]
    assert {row.dtype for rows in examples.tokens.values() for row in rows} == {np.dtype(np.int32)}
    assert [*examples.values] == ["label_ids"]


def test_segments_are_those_that_are_given():
    segment_ids = [np.zeros(3, np.int32), np.array([0, 0, 0, 0, 1, 1], np.int32)]
    examples = EncodedExamples.of_sequences(IDS, segment_ids)
    assert examples.tokens["segment_ids"] is segment_ids
    assert examples.values == {}


def test_what_examples_share_cannot_be_written_to():
    examples = EncodedExamples.of_sequences(IDS)
    with pytest.raises(ValueError, match="read-only"):
        examples.tokens["input_mask"][0][0] = 0


def test_no_sequence_is_no_example():
    assert len(EncodedExamples.of_sequences([]).lengths) == 0


@pytest.mark.parametrize(
    "other",
    [
        EncodedExamples.of_sequences(IDS[::-1]),
        EncodedExamples.of_sequences(IDS, [np.ones_like(row) for row in IDS]),
        EncodedExamples.of_sequences(IDS, values={"label_ids": np.array([1, 0])}),
    ],
)
def test_other_examples_have_another_fingerprint(other):
    examples = EncodedExamples.of_sequences(IDS)
    assert examples.fingerprint() == EncodedExamples.of_sequences(IDS).fingerprint()
    assert other.fingerprint() != examples.fingerprint()
