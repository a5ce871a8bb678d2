"""Looks into TFRecord files before a run: whether they can be read, what they hold, how much.

What TensorFlow says of a wrong record in the middle of training names neither the file nor the
flag (google-research/bert#1365, #752, #283), so the first record of every file is checked.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError

from bert_keras.data.features import (
    GZIP_SIGNATURE,
    check_lengths,
    check_values,
    compression_type,
    is_masked,
    missing_features,
    stored_values,
)
from bert_keras.errors import InputError
from bert_keras.notices import notify

MEASURES = {"max_seq_length": "input_ids", "max_predictions_per_seq": "masked_lm_positions"}
NUM_FILES_AT_A_TIME = 16
NUM_RECORDS_AT_A_TIME = 1024


class Shard(NamedTuple):
    """A TFRecord file and the `compression_type` that TensorFlow reads it with."""

    path: str
    compression: str  # "" or "GZIP"
    is_masked: bool = True  # whether its records hold masks


def check_first_records(
    files: Sequence[str], max_seq_length: int, max_predictions_per_seq: int
) -> list[Shard]:
    """Returns the files that hold records, each with its compression.

    A file without any record is left out with a notice: a shard may have got none. Records without
    masks may get any number of predictions.

    Raises:
      InputError: no file holds a record, or the first record of a file cannot be read, or is no
        pre-training record of these lengths, or some have masks and some have none. The message
        names the file and the flag.
    """
    with ThreadPoolExecutor(NUM_FILES_AT_A_TIME) as pool:
        shards = [Shard(*pair) for pair in zip(files, pool.map(_compression, files), strict=True)]
    requested = {
        "max_seq_length": max_seq_length,
        "max_predictions_per_seq": max_predictions_per_seq,
    }
    filled = []
    for shard, record in _for_each_shard(shards, _first_record):
        if record:
            values = checked_values(shard.path, record, requested)
            filled.append(shard._replace(is_masked=is_masked(values)))
        elif not shard.compression and tf.io.gfile.stat(shard.path).length > 0:
            raise _damaged(shard.path, "too short for a record")
        else:
            notify(f"{shard.path} holds no record; it is passed over.")
    if not filled:
        raise InputError(
            f"Expected records; received {len(files)} empty files, such as {files[0]}. "
            "Make them again."
        )
    _check_one_kind(filled)
    return filled


def count_records(
    shards: Sequence[Shard],
    read: Callable[[tf.Tensor, tf.Tensor], tf.data.Dataset] = tf.data.TFRecordDataset,
) -> int:
    """Returns the number of records, or of what else `read(path, compression)` gives of each file.

    Every file is read, so that damage shows as an InputError.
    """

    def num_elements(path, compression):
        batches = read(path, compression).batch(NUM_RECORDS_AT_A_TIME)
        count = tf.constant(0, tf.int64)
        return batches.reduce(count, lambda count, batch: count + tf.shape(batch, tf.int64)[0])

    return sum(int(count) for _, count in _for_each_shard(shards, num_elements))


def first_records(shards: Sequence[Shard], num_records: int) -> Iterator[tuple[Shard, np.ndarray]]:
    """Yields each shard with its first serialized records, at most so many, [R] of bytes.

    Raises:
      InputError: one of these records is damaged; the message names the file.
    """

    def read(path, compression):
        records = tf.data.TFRecordDataset(path, compression).take(num_records)
        return records.batch(num_records).get_single_element()

    yield from _for_each_shard(shards, read)


def shard_table(shards: Sequence[Shard]) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the paths and the compressions as two string tensors."""
    return tf.constant([s.path for s in shards]), tf.constant([s.compression for s in shards])


def _compression(path: str) -> str:
    with _named_errors(path), tf.io.gfile.GFile(path, "rb") as file:
        return compression_type(file.read(len(GZIP_SIGNATURE)))


def _for_each_shard(shards: Sequence[Shard], function) -> Iterator[tuple[Shard, object]]:
    """Yields each shard with `function(path, compression)` of it, several computed at a time."""
    table = tf.data.Dataset.from_tensor_slices(shard_table(shards))
    results = table.map(function, num_parallel_calls=NUM_FILES_AT_A_TIME, deterministic=True)
    results = iter(results.as_numpy_iterator())
    for shard in shards:
        with _named_errors(shard.path):
            result = next(results)
        yield shard, result


def _first_record(path: tf.Tensor, compression: tf.Tensor) -> tf.Tensor:
    """The first record, or "" if there is none."""
    records = tf.data.TFRecordDataset(path, compression)
    return records.take(1).reduce(tf.constant(b""), lambda _, record: record)


@contextlib.contextmanager
def _named_errors(path: str):
    """Turns what TensorFlow says of a file into an InputError that names it."""
    try:
        yield
    except tf.errors.DataLossError as error:
        raise _damaged(path, _reason(error)) from error
    except tf.errors.OpError as error:
        raise InputError(f"{path} cannot be read: {_reason(error)}.") from error


def _damaged(path: str, reason: str) -> InputError:
    return InputError(
        f"Expected a TFRecord file; {path} is none, or is damaged ({reason}). "
        "Make it again, or leave it out."
    )


def _reason(error: tf.errors.OpError) -> str:
    """TensorFlow's message without the names of its operations and iterators."""
    line = error.message.splitlines()[0].partition(" [Op:")[0]
    return re.sub(r".*(}} |with iterator: \S+ )", "", line).strip(". ")


def _check_one_kind(shards: Sequence[Shard]) -> None:
    """Raises InputError if some files hold records with masks and some without."""
    first_of_kind = {shard.is_masked: shard.path for shard in reversed(shards)}
    if len(first_of_kind) > 1:
        raise InputError(
            "Records must all hold masks, or none of them; received both: those of "
            f"{first_of_kind[True]} do, those of {first_of_kind[False]} do not. "
            "Use one kind at a time."
        )


def checked_values(path: str, record: bytes, requested: dict[str, int]) -> dict[str, Sequence]:
    """Returns what `stored_values` returns of a serialized record of the file `path`.

    `requested` holds the lengths that the flags ask for, a flag of `MEASURES` -> its value.

    Raises:
      InputError: it is no pre-training record of the lengths asked.
    """
    try:
        stored = tf.train.Example.FromString(record).features.feature
    except DecodeError as error:
        raise InputError(f"Expected records of tf.train.Example; {path} holds others.") from error
    values = stored_values(stored)
    if wrong := missing_features(values):
        raise InputError(
            f"Expected pre-training records; those of {path} lack {', '.join(wrong)}, or hold them "
            "in another type. Make records with python -m tfrecord_tools.create_pretraining_data."
        )
    holds = {flag: len(values[name]) for flag, name in MEASURES.items() if name in values}
    differing = [flag for flag in holds if holds[flag] != requested[flag]]
    if differing:
        raise InputError(
            "Flags must be those that the records were made with; received "
            f"{_flags(requested, differing)}, but {path} was made with {_flags(holds, differing)}. "
            "Use that, or other records."
        )
    check_lengths(values, path)
    check_values(values, path)
    return values


def _flags(values: dict[str, int], names: list[str]) -> str:
    return " ".join(f"--{name}={values[name]}" for name in names)
