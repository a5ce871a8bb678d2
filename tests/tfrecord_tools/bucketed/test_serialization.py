"""Frames of many rows are those of each row by itself."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import serialized
from tfrecord_tools.bucketed.assembly import Batch
from tfrecord_tools.bucketed.masking import MaskedRows
from tfrecord_tools.bucketed.serialization import masked_frames, unmasked_frames
from tfrecord_tools.frames import frame
from tfrecord_tools.single_stream.instances import Instance
from tfrecord_tools.single_stream.serialization import serialize

LENGTH, NUM_PREDICTIONS = 9, 4
IDS = st.integers(0, 2**31 - 1)


@st.composite
def instances(draw):
    """Rows of any tokens, with any of them predicted."""
    tokens = draw(st.lists(IDS, min_size=3, max_size=LENGTH))
    places = st.integers(0, len(tokens) - 1)
    positions = sorted(draw(st.sets(places, max_size=NUM_PREDICTIONS)))
    labels = [draw(IDS) for _ in positions]
    return Instance(
        tokens, draw(st.integers(1, len(tokens))), positions, labels, draw(st.booleans()), 0
    )


def padded(lists, length, dtype=np.int32):
    rows = [[*values, *[0] * (length - len(values))] for values in lists]
    return np.array(rows, dtype).reshape(len(rows), length)


def batch_of(rows):
    """The rows as arrays; every token but the first begins a word."""
    lengths = [len(row.tokens) for row in rows]
    segments = [
        [0] * row.segment_b_start + [1] * (n - row.segment_b_start)
        for row, n in zip(rows, lengths, strict=True)
    ]
    starts_word = padded([[0] + [1] * (n - 1) for n in lengths], LENGTH, bool)
    return Batch(
        padded([row.tokens for row in rows], LENGTH),
        padded(segments, LENGTH),
        starts_word,
        starts_word,
        np.array(lengths),
        np.array([int(row.is_random_next) for row in rows]),
    )


@given(st.lists(instances(), min_size=1, max_size=5))
def test_a_masked_row_is_that_of_the_original_algorithm(rows):
    masked = MaskedRows(
        padded([row.tokens for row in rows], LENGTH),
        padded([row.masked_lm_positions for row in rows], NUM_PREDICTIONS),
        padded([row.masked_lm_ids for row in rows], NUM_PREDICTIONS),
        np.array([len(row.masked_lm_ids) for row in rows], np.int32),
    )
    expected = [frame(serialize(row, LENGTH, NUM_PREDICTIONS)) for row in rows]
    assert masked_frames(batch_of(rows), masked) == expected


@given(st.lists(instances(), min_size=1, max_size=5))
def test_an_unmasked_row_is_the_example_that_protobuf_writes(rows):
    batch = batch_of(rows)
    expected = [
        {
            "input_ids": batch.tokens[index],
            "input_mask": np.int64(np.arange(LENGTH) < batch.num_tokens[index]),
            "segment_ids": batch.segment_ids[index],
            "starts_word": np.int64(batch.starts_word[index]),
            "next_sentence_labels": batch.labels[index : index + 1],
        }
        for index in range(len(rows))
    ]
    assert unmasked_frames(batch) == [frame(serialized(features)) for features in expected]
