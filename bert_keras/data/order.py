"""The order of the records: which of them are in which batch, and which rows a worker gets.

The order is a function of (seed, epoch) alone: not of the number of cores, of prefetching or of
TensorFlow's global seed. So batch k of a run is known without running the k batches before it: it
begins at p = k * batch_size of the endless stream, which is element p mod N of epoch p div N.

The original (`input_fn_builder` in run_pretraining.py) draws another order in every process.
An element is what a `Read` function gives of a file: by default a serialized record.
"""

from collections.abc import Callable, Sequence

import tensorflow as tf

from bert_keras.data.records import Shard, count_records, shard_table
from bert_keras.errors import InputError

SHUFFLE_BUFFER_SIZE = 16_384
# Part of the order, so they are numbers and do not follow the machine.
NUM_INTERLEAVED_FILES = 16
NUM_RECORDS_IN_A_ROW = 16

Read = Callable[[tf.Tensor, tf.Tensor], tf.data.Dataset]  # of a path and its compression


def shuffled_batches(
    shards: Sequence[Shard],
    batch_size: int,
    seed: int,
    start_step: int = 0,
    shuffle_buffer_size: int = SHUFFLE_BUFFER_SIZE,
    worker_index: int = 0,
    num_workers: int = 1,
    read: Read = tf.data.TFRecordDataset,
) -> tf.data.Dataset:
    """Returns an endless stream of a worker's batches, as `pretraining_dataset` describes it.

    Raises:
      InputError: a number is out of its range; the workers cannot share the rows evenly.
    """
    check_at_least(1, shuffle_buffer_size=shuffle_buffer_size)
    check_at_least(0, start_step=start_step)
    rows = rows_of_worker(batch_size, worker_index, num_workers)
    first_epoch, num_skipped = 0, 0
    if start_step > 0:
        first_epoch, num_skipped = divmod(start_step * batch_size, count_records(shards, read))
    epochs = tf.data.Dataset.range(first_epoch, tf.int64.max)
    elements = epochs.flat_map(
        lambda epoch: _epoch(shards, [seed, epoch], shuffle_buffer_size, read)
    )
    batches = elements.skip(num_skipped).batch(batch_size, drop_remainder=True)
    return batches.map(lambda batch: batch[rows])


def ordered_batches(
    shards: Sequence[Shard],
    batch_size: int,
    worker_index: int = 0,
    num_workers: int = 1,
    read: Read = tf.data.TFRecordDataset,
) -> tf.data.Dataset:
    """Returns one pass of a worker's batches, as `evaluation_dataset` describes it.

    Raises:
      InputError: as for `shuffled_batches`.
    """
    rows = rows_of_worker(batch_size, worker_index, num_workers)
    table = tf.data.Dataset.from_tensor_slices(shard_table(shards))
    return table.flat_map(read).batch(batch_size).map(lambda batch: batch[rows])


def check_at_least(minimum: int, **numbers: int) -> None:
    """Raises InputError, which gives its name, for a number that is less."""
    for name, number in numbers.items():
        if number < minimum:
            raise InputError(f"{name} must be at least {minimum}; received {number}.")


def rows_of_worker(batch_size: int, worker_index: int, num_workers: int) -> slice:
    """The rows of every global batch that a worker gets.

    Raises:
      InputError: there is no such worker, or the rows cannot be shared evenly.
    """
    check_at_least(1, batch_size=batch_size, num_workers=num_workers)
    check_at_least(0, worker_index=worker_index)
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


def _epoch(
    shards: Sequence[Shard], seed: list, shuffle_buffer_size: int, read: Read
) -> tf.data.Dataset:
    """All elements once, in the order that `seed` (two integers) chooses.

    `Dataset.shuffle` would do but for one thing: it mixes TensorFlow's global seed into its own.
    Whole blocks are permuted instead, by a stateless function.
    """
    paths, compressions = shard_table(shards)
    order = _permuted(tf.range(len(shards)), seed, 0)
    table = (tf.gather(paths, order), tf.gather(compressions, order))
    elements = tf.data.Dataset.from_tensor_slices(table).interleave(
        read,
        cycle_length=NUM_INTERLEAVED_FILES,
        block_length=NUM_RECORDS_IN_A_ROW,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )
    blocks = elements.batch(shuffle_buffer_size).enumerate(start=1)
    blocks = blocks.map(lambda number, block: _permuted(block, seed, number))
    return blocks.prefetch(1).unbatch()


def _permuted(values: tf.Tensor, seed: list, number) -> tf.Tensor:
    """The values in the order that (seed, number) chooses."""
    seed = tf.stack([tf.cast(part, tf.int64) for part in seed])
    seed = tf.random.experimental.stateless_fold_in(seed, number, alg="philox")
    return tf.random.experimental.stateless_shuffle(values, seed, alg="philox")
