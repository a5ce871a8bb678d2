"""TFRecords -> batches of features for pre-training, in an order that can be resumed anywhere.

The order of records is a function of (seed, epoch) alone: not of the number of cores, of
prefetching or of TensorFlow's global seed. So batch k of a run is known without running the k
batches before it: it begins at p = k * batch_size of the endless stream, which is record p mod N of
epoch p div N.

The original (`input_fn_builder` in run_pretraining.py) draws another order in every process.
Letters of shapes: B batch, T positions, P predictions.
"""

import os
from collections.abc import Iterable, Sequence

import tensorflow as tf

from bert_keras.data.features import pretraining_features
from bert_keras.data.records import Shard, check_first_records, count_records, shard_table
from bert_keras.errors import InputError
from bert_keras.files import expand_input_files

SHUFFLE_BUFFER_SIZE = 16_384
# Part of the order, so they are numbers and do not follow the machine.
NUM_INTERLEAVED_FILES = 16
NUM_RECORDS_IN_A_ROW = 16


def pretraining_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    shuffle_buffer_size: int = SHUFFLE_BUFFER_SIZE,
    worker_index: int = 0,
    num_workers: int = 1,
) -> tf.data.Dataset:
    """Returns an endless stream of shuffled batches; every record comes once in an epoch.

    Batches do not stop at the end of an epoch: all have B examples. Several workers share the
    batches of one: B / num_workers rows of each go to each of them, in the order of the workers.
    Every worker reads all records and parses its own, so there may be fewer files than workers.

    Args:
      input_files: TFRecord files, plain or GZIP; paths and globs as in `expand_input_files`, or
        the shards that `check_first_records` returned, which are not checked again.
      max_seq_length: T of the records.
      max_predictions_per_seq: P of the records.
      batch_size: B, over all workers.
      seed: chooses the order.
      start_step: the number of batches to leave out. The rest is what it would be without that;
        it costs a pass over the files, to count their records.
      shuffle_buffer_size: records are shuffled among so many neighbors, after the files are
        shuffled and 16 of them interleaved. Another size is another order.
      worker_index: which worker's rows are wanted, from 0 on.
      num_workers: how many processes share each batch.

    Returns:
      A dataset of name -> int32 [B, T] (input_ids, input_mask, segment_ids), int32 [B, P]
      (masked_lm_positions, masked_lm_ids), float32 [B, P] (masked_lm_weights) and int32 [B, 1]
      (next_sentence_labels), where B stands for the worker's rows.

    Raises:
      InputError: a file is missing, damaged or holds records of another shape; the workers cannot
        share B rows evenly.
    """
    _check_at_least(1, shuffle_buffer_size=shuffle_buffer_size)
    rows = _rows_of_worker(batch_size, worker_index, num_workers)
    _check_at_least(0, start_step=start_step)
    shards = _checked_shards(input_files, max_seq_length, max_predictions_per_seq)
    first_epoch, num_skipped = 0, 0
    if start_step > 0:
        first_epoch, num_skipped = divmod(start_step * batch_size, count_records(shards))
    epochs = tf.data.Dataset.range(first_epoch, tf.int64.max)
    records = epochs.flat_map(lambda epoch: _epoch(shards, [seed, epoch], shuffle_buffer_size))
    batches = records.skip(num_skipped).batch(batch_size, drop_remainder=True)
    batches = batches.map(lambda batch: batch[rows])
    return _parsed(batches, max_seq_length, max_predictions_per_seq)


def evaluation_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    batch_size: int,
    worker_index: int = 0,
    num_workers: int = 1,
) -> tf.data.Dataset:
    """Returns one pass over the records in the order of the files; the last batch may be smaller.

    Arguments, features and errors are those of `pretraining_dataset`. All workers get the same
    number of batches, so that none waits for another in vain; in the last one the later workers
    may get fewer rows, or a batch of 0 rows.
    """
    rows = _rows_of_worker(batch_size, worker_index, num_workers)
    shards = _checked_shards(input_files, max_seq_length, max_predictions_per_seq)
    table = tf.data.Dataset.from_tensor_slices(shard_table(shards))
    batches = table.flat_map(tf.data.TFRecordDataset).batch(batch_size)
    batches = batches.map(lambda batch: batch[rows])
    return _parsed(batches, max_seq_length, max_predictions_per_seq)


def _rows_of_worker(batch_size: int, worker_index: int, num_workers: int) -> slice:
    """The rows of every global batch that a worker gets.

    Raises:
      InputError: there is no such worker, or the rows cannot be shared evenly.
    """
    _check_at_least(1, batch_size=batch_size, num_workers=num_workers)
    _check_at_least(0, worker_index=worker_index)
    if worker_index >= num_workers:
        raise InputError(
            f"worker_index must be less than num_workers={num_workers}; received {worker_index}."
        )
    num_rows, rest = divmod(batch_size, num_workers)
    if rest:
        raise InputError(
            "batch_size is shared evenly by all workers, so it must be a multiple of "
            f"num_workers={num_workers}; received {batch_size}."
        )
    return slice(worker_index * num_rows, (worker_index + 1) * num_rows)


def _checked_shards(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
) -> list[Shard]:
    if not isinstance(input_files, (str, os.PathLike)):
        input_files = list(input_files)
        if input_files and all(isinstance(file, Shard) for file in input_files):
            return input_files
    files = expand_input_files(input_files)
    return check_first_records(files, max_seq_length, max_predictions_per_seq)


def _epoch(shards: list[Shard], seed: list, shuffle_buffer_size: int) -> tf.data.Dataset:
    """All serialized records once, in the order that `seed` (two integers) chooses.

    `Dataset.shuffle` would do but for one thing: it mixes TensorFlow's global seed into its own.
    Whole blocks are permuted instead, by a stateless function.
    """
    paths, compressions = shard_table(shards)
    order = _permuted(tf.range(len(shards)), seed, 0)
    table = (tf.gather(paths, order), tf.gather(compressions, order))
    records = tf.data.Dataset.from_tensor_slices(table).interleave(
        tf.data.TFRecordDataset,
        cycle_length=NUM_INTERLEAVED_FILES,
        block_length=NUM_RECORDS_IN_A_ROW,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )
    blocks = records.batch(shuffle_buffer_size).enumerate(start=1)
    blocks = blocks.map(lambda number, block: _permuted(block, seed, number))
    return blocks.prefetch(1).unbatch()


def _permuted(values: tf.Tensor, seed: list, number) -> tf.Tensor:
    """The values in the order that (seed, number) chooses."""
    seed = tf.stack([tf.cast(part, tf.int64) for part in seed])
    seed = tf.random.experimental.stateless_fold_in(seed, number, alg="philox")
    return tf.random.experimental.stateless_shuffle(values, seed, alg="philox")


def _parsed(
    batches: tf.data.Dataset, max_seq_length: int, max_predictions_per_seq: int
) -> tf.data.Dataset:
    """Batches of serialized records -> batches of features, some of them in advance."""
    features = pretraining_features(max_seq_length, max_predictions_per_seq)
    specification = {
        name: tf.io.FixedLenFeature(feature.shape, feature.dtype)
        for name, feature in features.items()
    }

    def parse(batch):
        # A whole batch at a time is five times as fast as one record at a time.
        parsed = tf.io.parse_example(batch, specification)
        return {  # saturated, so that an id out of range does not come back as another one
            name: tf.saturate_cast(values, tf.int32) if values.dtype == tf.int64 else values
            for name, values in parsed.items()
        }

    parsed = batches.map(parse, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
    return parsed.prefetch(tf.data.AUTOTUNE)


def _check_at_least(minimum: int, **numbers: int) -> None:
    for name, number in numbers.items():
        if number < minimum:
            raise InputError(f"{name} must be at least {minimum}; received {number}.")
