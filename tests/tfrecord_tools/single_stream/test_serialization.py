"""Serialized instances are the Examples that protobuf writes."""

import tensorflow as tf

from bert_keras.data.features import pretraining_features
from tests.examples import serialized
from tfrecord_tools.single_stream.instances import Instance
from tfrecord_tools.single_stream.serialization import serialize

INSTANCE = Instance([2, 30521, 4, 3, 300, 3], 4, [2, 4], [129, 70000], True, 0)
FEATURES = {
    "input_ids": [2, 30521, 4, 3, 300, 3, 0, 0],
    "input_mask": [1, 1, 1, 1, 1, 1, 0, 0],
    "segment_ids": [0, 0, 0, 0, 1, 1, 0, 0],
    "masked_lm_positions": [2, 4, 0],
    "masked_lm_ids": [129, 70000, 0],
    "masked_lm_weights": [1.0, 1.0, 0.0],
    "next_sentence_labels": [1],
}


def test_bytes_are_those_of_protocol_buffers():
    assert serialize(INSTANCE, 8, 3) == serialized(FEATURES)


def test_the_features_are_those_of_the_contract():
    specification = {
        name: tf.io.FixedLenFeature(feature.shape, feature.dtype)
        for name, feature in pretraining_features(8, 3).items()
    }
    parsed = tf.io.parse_single_example(serialize(INSTANCE, 8, 3), specification)
    assert {name: values.numpy().tolist() for name, values in parsed.items()} == FEATURES
