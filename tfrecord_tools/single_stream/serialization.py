"""Instances -> serialized tf.train.Examples."""

import functools

from tfrecord_tools.single_stream.instances import Instance
from tfrecord_tools.wire_format import (
    example,
    float_ones_feature,
    integer_feature,
    ones_feature,
    varint,
)

_remembered_varint = functools.lru_cache(1 << 18)(varint)  # of every id of any vocabulary


def serialize(instance: Instance, max_seq_length: int, max_predictions_per_seq: int) -> bytes:
    """Pads an instance and returns the bytes of its Example.

    The features are those of `bert_keras.data.features.pretraining_features`.
    """
    num_tokens = len(instance.tokens)
    num_predictions = len(instance.masked_lm_positions)
    b_start = instance.segment_b_start
    return example(
        (
            _padded("input_ids", instance.tokens, max_seq_length),
            ones_feature("input_mask", 0, num_tokens, max_seq_length),
            _padded("masked_lm_ids", instance.masked_lm_ids, max_predictions_per_seq),
            _padded("masked_lm_positions", instance.masked_lm_positions, max_predictions_per_seq),
            float_ones_feature("masked_lm_weights", num_predictions, max_predictions_per_seq),
            ones_feature("next_sentence_labels", 0, int(instance.is_random_next), 1),
            ones_feature("segment_ids", b_start, num_tokens - b_start, max_seq_length),
        )
    )


def _padded(name: str, values: list[int], length: int) -> bytes:
    packed = b"".join(map(_remembered_varint, values))
    return integer_feature(name, packed + b"\0" * (length - len(values)))
