"""TFRecords -> batches of rows that hold several examples each, for the packed models.

The records of a file are packed where they lie, so many at a time, into rows; then rows are
shuffled as records are in `bert_keras.data.pipeline`, and what its order promises holds for them:
every row comes once in an epoch, and with it every record; the stream goes on from any step. So
the same records share a row in every epoch; they do not see each other.

Letters of shapes: B rows of a batch, T positions, P predictions of a row, S places of a row.
"""

from collections.abc import Iterable, Sequence

import tensorflow as tf

from bert_keras.data import order, packing
from bert_keras.data.features import pretraining_features
from bert_keras.data.pipeline import checked_shards, parse
from bert_keras.data.records import Shard, count_records

# Rows depend on it. More records fill them little better (97 % to 98 %) and take longer to place.
NUM_RECORDS_PACKED_AT_A_TIME = 256
MAX_SEQUENCES_PER_ROW = 16


def packed_pretraining_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    shuffle_buffer_size: int = order.SHUFFLE_BUFFER_SIZE,
    worker_index: int = 0,
    num_workers: int = 1,
    max_sequences_per_row: int = MAX_SEQUENCES_PER_ROW,
) -> tf.data.Dataset:
    """Returns an endless stream of batches of shuffled rows; every record comes once in an epoch.

    Arguments and errors are those of `pretraining_dataset`, with rows in the place of examples.
    Rows are as long as the records and have as many predictions at most. How many examples a batch
    holds differs from batch to batch; the sum of its `next_sentence_weights` says it.

    Args:
      max_sequences_per_row: S.

    Returns:
      A dataset of what `packing.pack` returns, all of static shape.
    """
    limits = (max_seq_length, max_predictions_per_seq)
    shards = checked_shards(input_files, *limits)
    batches = order.shuffled_batches(
        shards,
        batch_size,
        seed,
        start_step,
        shuffle_buffer_size,
        worker_index,
        num_workers,
        read=_read_rows(limits, max_sequences_per_row),
    )
    return _packed(batches, limits)


def packed_evaluation_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    batch_size: int,
    worker_index: int = 0,
    num_workers: int = 1,
    max_sequences_per_row: int = MAX_SEQUENCES_PER_ROW,
) -> tf.data.Dataset:
    """Returns one pass over the rows, file by file, as `evaluation_dataset` does over records."""
    limits = (max_seq_length, max_predictions_per_seq)
    shards = checked_shards(input_files, *limits)
    read = _read_rows(limits, max_sequences_per_row)
    batches = order.ordered_batches(shards, batch_size, worker_index, num_workers, read)
    return _packed(batches, limits)


def count_rows(
    shards: Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    max_sequences_per_row: int = MAX_SEQUENCES_PER_ROW,
) -> int:
    """Returns how many rows the records make; errors are those of `records.count_records`."""
    limits = (max_seq_length, max_predictions_per_seq)
    return count_records(shards, _read_rows(limits, max_sequences_per_row))


def _read_rows(limits: tuple[int, int], max_sequences: int) -> order.Read:
    """A function of a file -> its rows, each as the serialized records in its S places, or ""."""
    order.check_at_least(1, max_sequences_per_row=max_sequences)
    features = pretraining_features(*limits)
    specification = {
        name: tf.io.FixedLenFeature(features[name].shape, features[name].dtype)
        for name in ("input_mask", "masked_lm_weights")
    }

    def rows_of(records):
        sizes = packing.sizes(tf.io.parse_example(records, specification))
        places = packing.first_fit(sizes, limits, max_sequences)
        shape = [packing.num_rows(places), max_sequences]
        numbers = tf.scatter_nd(places, tf.range(1, tf.size(records) + 1), shape)
        return tf.gather(tf.concat([[""], records], axis=0), numbers)  # [rows, S]

    def read(path, compression):
        windows = tf.data.TFRecordDataset(path, compression).batch(NUM_RECORDS_PACKED_AT_A_TIME)
        rows = windows.map(rows_of, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
        return rows.unbatch()

    return read


def _packed(batches: tf.data.Dataset, limits: tuple[int, int]) -> tf.data.Dataset:
    """Batches of rows of serialized records [B, S] -> batches of features, some in advance."""

    def pack(rows):
        num_rows, max_sequences = tf.unstack(tf.shape(rows))
        places = tf.cast(tf.where(rows != ""), tf.int32)
        features = parse(tf.gather_nd(rows, places), *limits)
        return packing.pack(features, places, num_rows, limits, max_sequences)

    packed = batches.map(pack, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
    return packed.prefetch(tf.data.AUTOTUNE)
