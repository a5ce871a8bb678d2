"""Bytes of Examples are those that protobuf reads."""

import numpy as np
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.examples import serialized
from tfrecord_tools.wire_format import (
    example,
    float_ones_feature,
    integer_feature,
    ones_feature,
    varint,
    varints,
)

ROWS = arrays.arrays(
    np.int64,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.integers(0, 2**31 - 1),
)


@given(ROWS)
def test_protobuf_reads_back_every_row(values):
    encoded, starts = varints(values)
    assert starts[-1] == len(encoded)
    for row, start, end in zip(values, starts, starts[1:], strict=False):
        record = example([integer_feature("input_ids", encoded[start:end])])
        stored = tf.train.Example.FromString(record).features.feature["input_ids"]
        assert list(stored.int64_list.value) == row.tolist()


@given(st.integers(0, 2**40))
def test_a_varint_is_that_of_protobuf(number):
    stored = tf.train.Int64List(value=[number]).SerializeToString()
    assert stored == b"\x0a" + varint(len(varint(number))) + varint(number)


def test_features_of_ones_are_those_that_protobuf_writes():
    weights = serialized({"weights": [1.0, 1.0, 0.0]})
    assert example([float_ones_feature("weights", 2, 3)]) == weights
    assert example([ones_feature("mask", 1, 2, 4)]) == serialized({"mask": [0, 1, 1, 0]})


def test_a_long_feature_has_long_lengths():
    record = example([ones_feature("mask", 0, 70_000, 70_001)])
    stored = tf.train.Example.FromString(record).features.feature["mask"].int64_list.value
    assert list(stored) == [1] * 70_000 + [0]
