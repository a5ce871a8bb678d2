"""TFRecord files -> records as bytes -> features."""

from collections.abc import Iterator

import tensorflow as tf
from google.protobuf.message import DecodeError

from bert_keras.data.features import (
    GZIP_SIGNATURE,
    check_lengths,
    compression_type,
    missing_features,
    stored_values,
)
from bert_keras.errors import InputError

Features = dict[str, list[int] | list[float]]


def deserialize(record: bytes) -> Features:
    """A serialized tf.train.Example of a pre-training record, masked or not -> its features.

    Raises:
      InputError: the bytes are no Example, a feature is missing, or lengths contradict each other.
    """
    try:
        stored = tf.train.Example.FromString(record).features.feature
    except DecodeError as error:
        raise InputError("Expected a tf.train.Example; the record is none.") from error
    values = stored_values(stored)
    if missing := missing_features(values):
        raise InputError(
            f"Expected a pre-training record; it lacks {', '.join(missing)}, or holds them in "
            "another type."
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
    num_read = 0
    try:
        for record in tf.data.TFRecordDataset(path, compression_of(path)).as_numpy_iterator():
            yield record
            num_read += 1
    except tf.errors.OpError as error:
        raise InputError(
            f"Expected a TFRecord file; {path} cannot be read past record {num_read}: it is "
            "another kind of file, damaged or cut off. Make it again; --audit looks through the "
            "rest of a set."
        ) from error


def compression_of(path: str) -> str:
    """How TensorFlow has to read a TFRecord file, plain "" or "GZIP": its first bytes tell."""
    with tf.io.gfile.GFile(path, "rb") as file:
        return compression_type(file.read(len(GZIP_SIGNATURE)))
