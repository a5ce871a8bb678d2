"""TFRecord files -> batches of serialized records, every file to its end or to its damage."""

import contextlib
import gzip
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.progress import Progress
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.frames import FRAME_SIZE
from tfrecord_tools.records import compression_of

NUM_RECORDS_AT_A_TIME = 1024
CHUNK_SIZE = 1 << 20  # bytes
SOUND_FILE = "every file is a sound TFRecord file"
NO_EMPTY_FILE = "every file holds records"


class SerializedBatch(NamedTuple):
    """Records of one file, in its order."""

    file: str
    numbers: np.ndarray  # int64 [B], of each record in its file, from 1
    records: np.ndarray  # bytes [B]
    digests: np.ndarray  # uint64 [B, 2], BLAKE2b of each record's bytes


def read_batches(
    files: Sequence[str], description: str, problems: Problems
) -> Iterator[SerializedBatch]:
    """Yields the records of all files; a damaged file gives those before the damage.

    TensorFlow compares the checksums of every record that it reads. `description` names the
    progress.
    """
    sizes = [tf.io.gfile.stat(path).length for path in files]
    with Progress(description, max(1, sum(sizes)), "B") as progress:
        for path, size in zip(files, sizes, strict=True):
            num_records, num_bytes = 0, 0
            try:
                for records in _read_file(path):
                    first, num_records = num_records + 1, num_records + len(records)
                    numbers = np.arange(first, num_records + 1)
                    yield SerializedBatch(path, numbers, records, _digests(records))
                    read = sum(map(len, records)) + FRAME_SIZE * len(records)
                    progress.advance(min(read, max(0, size - num_bytes)))
                    num_bytes += read
                _check_end(path, num_bytes)
                if not num_records:
                    problems.add(NO_EMPTY_FILE, f"{path} holds none")
            except InputError as error:
                problems.add(SOUND_FILE, f"{path} {error}")
            progress.advance(max(0, size - num_bytes))


def _read_file(path: str) -> Iterator[np.ndarray]:
    """Yields the records in batches; raises InputError at damage, after all records before it."""
    num_read = 0
    try:
        records = tf.data.TFRecordDataset(path, compression_of(path))
        for batch in records.batch(NUM_RECORDS_AT_A_TIME).prefetch(2).as_numpy_iterator():
            yield batch
            num_read += len(batch)
    except tf.errors.OpError as error:
        last = []  # the records of the batch in which the damage came
        with contextlib.suppress(tf.errors.OpError):
            for record in tf.data.TFRecordDataset(path, compression_of(path)).skip(num_read):
                last.append(record.numpy())
        if last:
            yield np.array(last, dtype=object)
        raise InputError(
            f"cannot be read past record {num_read + len(last)}; the numbers of the audit are "
            "those of the records before the damage"
        ) from error


def _digests(records: np.ndarray) -> np.ndarray:
    joined = b"".join(hashlib.blake2b(record, digest_size=16).digest() for record in records)
    return np.frombuffer(joined, "<u8").reshape(-1, 2)


def _check_end(path: str, num_bytes: int) -> None:
    """Raises InputError for less than a header at the end, which TensorFlow takes for the end."""
    size = _uncompressed_size(path)
    if num_bytes < size:
        raise InputError(f"ends with {size - num_bytes} bytes that are no record")


def _uncompressed_size(path: str) -> int:
    """Bytes of a file or, of a GZIP file, of what it holds.

    TensorFlow passes over the end of a GZIP file, checksum and size: it reads one that is cut off
    there without a word. Python reads all of it and compares.
    """
    if not compression_of(path):
        return tf.io.gfile.stat(path).length
    try:
        with tf.io.gfile.GFile(path, "rb") as file, gzip.open(file) as uncompressed:
            return sum(map(len, iter(lambda: uncompressed.read(CHUNK_SIZE), b"")))
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"is a GZIP file that is damaged or cut off: {error}") from error
