"""Instances -> bytes, and TFRecord files -> bytes -> features."""

import functools
from collections.abc import Iterator

import tensorflow as tf

from bert_keras.data.features import (
    GZIP_SIGNATURE,
    check_lengths,
    compression_type,
    is_masked,
    pretraining_features,
    stored_values,
    unmasked_features,
)
from bert_keras.errors import InputError
from tfrecord_tools.single_stream.instances import Instance

MAX_CACHED_FEATURES = 1 << 14
Features = dict[str, list[int] | list[float]]


def serialize(instance: Instance, max_seq_length: int, max_predictions_per_seq: int) -> bytes:
    """Pads an instance and returns it as a serialized tf.train.Example.

    The features are those of `bert_keras.data.features.pretraining_features`. Of most features few
    different ones occur: their bytes are remembered, and the bytes of a message are those of its
    fields one after another. This takes half the time of filling one Example.
    """
    num_tokens = len(instance.tokens)
    num_predictions = len(instance.masked_lm_positions)
    no_tokens = [0] * (max_seq_length - num_tokens)
    no_predictions = [0] * (max_predictions_per_seq - num_predictions)
    b_start = instance.segment_b_start
    features = (
        _integers("input_ids", instance.tokens + no_tokens),
        _ones("input_mask", 0, num_tokens, max_seq_length),
        _integers("masked_lm_ids", instance.masked_lm_ids + no_predictions),
        _integers("masked_lm_positions", instance.masked_lm_positions + no_predictions),
        _weights("masked_lm_weights", num_predictions, max_predictions_per_seq),
        _ones("next_sentence_labels", 0, int(instance.is_random_next), 1),
        _ones("segment_ids", b_start, num_tokens - b_start, max_seq_length),
    )
    body = b"".join(features)
    return b"\x0a" + _varint(len(body)) + body  # field 1 of an Example: its Features


def deserialize(record: bytes) -> Features:
    """A serialized tf.train.Example of a pre-training record, masked or not -> its features.

    Raises:
      InputError: the bytes are no Example, a feature is missing, or lengths contradict each other.
    """
    try:
        stored = tf.train.Example.FromString(record).features.feature
    except Exception as error:  # protobuf's implementations raise different classes
        raise InputError("Records must be serialized tf.train.Examples.") from error
    values = stored_values(stored)
    names = list(pretraining_features(0, 0) if is_masked(values) else unmasked_features(0))
    if missing := [name for name in names if name not in values]:
        raise InputError(
            f"A pre-training record has the features {', '.join(names)}; "
            f"missing: {', '.join(missing)}."
        )
    check_lengths(values, "the record")
    return {name: list(of_name) for name, of_name in values.items()}


def read_records(path: str) -> Iterator[bytes]:
    """Yields the records of a TFRecord file, plain or GZIP (its first bytes tell which).

    Raises:
      InputError: no such file, a folder, or not a sound TFRecord file.
    """
    if not tf.io.gfile.exists(path) or tf.io.gfile.isdir(path):
        raise InputError(f"Expected a TFRecord file; {path!r} is a folder or does not exist.")
    with tf.io.gfile.GFile(path, "rb") as file:
        compression = compression_type(file.read(len(GZIP_SIGNATURE)))
    num_read = 0
    try:
        for record in tf.data.TFRecordDataset(path, compression).as_numpy_iterator():
            yield record
            num_read += 1
    except tf.errors.OpError as error:
        raise InputError(
            f"Expected a TFRecord file; {path} cannot be read past record {num_read}: it is "
            "another kind of file, damaged or cut off. Make it again."
        ) from error


def _integers(name: str, values: list[int]) -> bytes:
    """The bytes of a tf.train.Features that holds one feature."""
    features = tf.train.Features()
    features.feature[name].int64_list.value.extend(values)
    return features.SerializeToString()


@functools.lru_cache(MAX_CACHED_FEATURES)
def _ones(name: str, num_zeros: int, num_ones: int, length: int) -> bytes:
    """Zeros, then ones, then zeros again up to the length."""
    num_left = length - num_zeros - num_ones
    return _integers(name, [0] * num_zeros + [1] * num_ones + [0] * num_left)


@functools.lru_cache(MAX_CACHED_FEATURES)
def _weights(name: str, num_ones: int, length: int) -> bytes:
    features = tf.train.Features()
    features.feature[name].float_list.value.extend([1.0] * num_ones + [0.0] * (length - num_ones))
    return features.SerializeToString()


def _varint(number: int) -> bytes:
    """Protocol buffers' form of a whole number: seven bits a byte, the lowest first."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
