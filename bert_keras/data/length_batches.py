"""Batches of examples that are about equally long, padded to the longest: bucketing.

The endless stream of examples, every epoch in an order of its own, is cut into pools; a pool is
sorted by length and cut into batches, and its batches are shuffled. The order is a function of
(seed, epoch) alone, so batch k is known without building those before.

The original pads every example to `max_seq_length`. It rounds the number of steps down and repeats
examples from a shuffled buffer, so that some are seen once more than others and of a tiny set none
may be; here each is seen equally often, and the last batch is filled up with rows of zeros.
"""

import fractions
import math
from collections.abc import Callable, Iterator

import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples
from bert_keras.data.order import check_at_least, rows_of_worker
from bert_keras.errors import InputError

NUM_BATCHES_OF_POOL = 64
LENGTH_STEP = 8  # positions of a batch are a multiple: few shapes to compile, little padding
FILLED_ROW = -1  # in place of the index of an example


def num_steps(num_examples: int, batch_size: int, num_epochs: float) -> int:
    """How many batches see every example `num_epochs` times, the last one not always full."""
    return math.ceil(_num_rows(num_examples, num_epochs) / batch_size)


def length_batches(
    examples: EncodedExamples,
    batch_size: int,
    seed: int,
    num_epochs: float,
    start_step: int = 0,
    worker_index: int = 0,
    num_workers: int = 1,
    padded_length: int | None = None,
) -> tf.data.Dataset:
    """Returns a worker's batches for training: `num_steps` of them, less those before `start_step`.

    Each is a dict: the arrays of `examples.tokens` padded with zeros, [B, T] or [B, C, T]; those of
    `examples.values`, [B, ...]; `example_weights`, float32 [B]: 1, or 0 for a row that fills up the
    last batch; `example_index`, int32 [B]: where in `examples` a row comes from, or -1. T is one
    number for all workers, at most the length of the longest example.

    Args:
        examples: what is learned.
        batch_size: B, rows of a global batch, over all workers.
        seed: what the order depends on.
        num_epochs: how often each example is seen; of a fraction of an epoch a part of them is.
        start_step: batches that were taken before.
        worker_index: which worker's rows are returned.
        num_workers: over how many workers the rows of a batch are spread.
        padded_length: T of all batches, for a TPU, which takes one shape; changes no order.

    Raises:
        InputError: there are no examples; a number is out of its range; the workers cannot share
            the rows evenly.
    """
    check_at_least(0, seed=seed, num_epochs=num_epochs, start_step=start_step)
    rows = rows_of_worker(batch_size, worker_index, num_workers)
    padded_lengths = _padded_lengths(examples)

    def order():
        return _training_order(padded_lengths, batch_size, seed, num_epochs, start_step)

    num_left = num_steps(len(padded_lengths), batch_size, num_epochs) - start_step
    lengths = _all_of_one(padded_lengths, padded_length)
    return _dataset(examples, lengths, order, rows, max(0, num_left))


def longest_first_batches(
    examples: EncodedExamples, batch_size: int, padded_length: int | None = None
) -> tf.data.Dataset:
    """Returns the batches of one pass, the longest examples first.

    So it shows at once whether they fit into memory. Their features are those of `length_batches`;
    by `example_index` what a model makes of them is put back in order.

    Raises:
        InputError: as for `length_batches`.
    """
    check_at_least(1, batch_size=batch_size)
    lengths = _all_of_one(_padded_lengths(examples), padded_length)
    longest_first = np.argsort(-examples.lengths, kind="stable")
    num_batches = num_steps(len(longest_first), batch_size, 1)
    batches = _filled_up(longest_first, num_batches * batch_size).reshape(num_batches, batch_size)
    return _dataset(examples, lengths, lambda: iter(batches), slice(0, batch_size), num_batches)


def single_batch(
    examples: EncodedExamples, padded_length: int | None = None
) -> dict[str, np.ndarray]:
    """Returns all examples as one batch of `longest_first_batches`, at once and as arrays."""
    lengths = _all_of_one(_padded_lengths(examples), padded_length)
    return _batch(examples, np.arange(len(lengths)), lengths.max())


def _num_rows(num_examples: int, num_epochs: float) -> int:
    # As written: 70 * 0.1 is a little more than 7 in binary.
    return math.ceil(num_examples * fractions.Fraction(str(num_epochs)))


def _padded_lengths(examples: EncodedExamples) -> np.ndarray:
    """To how many positions each example is padded at least, int64 [N]."""
    lengths = examples.lengths
    if not lengths.size:
        raise InputError("Batches need at least one example. Received: none")
    return np.minimum(-(-lengths // LENGTH_STEP) * LENGTH_STEP, lengths.max())


def _all_of_one(padded_lengths: np.ndarray, padded_length: int | None) -> np.ndarray:
    """The lengths, or as many times the given one."""
    return padded_lengths if padded_length is None else np.full_like(padded_lengths, padded_length)


def _training_order(
    padded_lengths: np.ndarray, batch_size: int, seed: int, num_epochs: float, start_step: int
) -> Iterator[np.ndarray]:
    """Yields the indices of the examples of each batch from `start_step` on, int64 [B]."""
    num_examples = len(padded_lengths)
    num_rows = _num_rows(num_examples, num_epochs)
    # No longer than an epoch: the copies of an example would come together in one batch.
    num_batches = min(NUM_BATCHES_OF_POOL, max(1, num_examples // batch_size))
    pool_size = num_batches * batch_size
    first_pool, num_skipped = divmod(start_step, num_batches)
    epoch, offset = divmod(first_pool * pool_size, num_examples)
    stream = _permutation(num_examples, seed, 0, epoch)[offset:]
    for pool in range(first_pool, math.ceil(num_rows / pool_size)):
        size = min(pool_size, num_rows - pool * pool_size)
        while len(stream) < size:
            epoch += 1
            stream = np.concatenate([stream, _permutation(num_examples, seed, 0, epoch)])
        order = _permutation(math.ceil(size / batch_size), seed, 1, pool)
        batches = _sorted_batches(stream[:size], padded_lengths, batch_size, order)
        yield from batches[num_skipped:]
        stream, num_skipped = stream[size:], 0


def _sorted_batches(
    pool: np.ndarray, padded_lengths: np.ndarray, batch_size: int, order: np.ndarray
) -> list[np.ndarray]:
    """The examples of a pool, sorted, in batches, those in the order given; the last one filled up.

    Examples padded alike stay in the order of the stream.
    """
    by_length = pool[np.argsort(padded_lengths[pool], kind="stable")]
    sizes = np.full(len(order), batch_size)
    sizes[order[-1]] -= len(order) * batch_size - len(pool)
    batches = np.split(by_length, np.cumsum(sizes)[:-1])
    return [_filled_up(batches[index], batch_size) for index in order]


def _permutation(size: int, *key: int) -> np.ndarray:
    """The numbers below `size` in the order that `key` chooses: the same with every NumPy."""
    bits = np.random.Philox(np.random.SeedSequence(key)).random_raw(size)
    return np.argsort(bits, kind="stable")


def _filled_up(indices: np.ndarray, size: int) -> np.ndarray:
    return np.pad(indices, (0, size - len(indices)), constant_values=FILLED_ROW)


def _dataset(
    examples: EncodedExamples,
    padded_lengths: np.ndarray,
    order: Callable[[], Iterator[np.ndarray]],
    rows: slice,
    num_batches: int,
) -> tf.data.Dataset:
    """The batches whose indices `order` yields: of each the rows of one worker."""

    def batches():
        for indices in order():
            length = padded_lengths[indices[indices != FILLED_ROW]].max()
            yield _batch(examples, indices[rows], length)

    is_same = np.all(padded_lengths == padded_lengths[0])
    same_length = padded_lengths[0] if is_same else None
    dataset = tf.data.Dataset.from_generator(
        batches, output_signature=_signature(examples, rows.stop - rows.start, same_length)
    )
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(num_batches))
    return dataset.prefetch(tf.data.AUTOTUNE)


def _batch(examples: EncodedExamples, indices: np.ndarray, length: int) -> dict[str, np.ndarray]:
    """The examples of these indices, padded to `length`."""
    is_example = indices != FILLED_ROW
    batch = {}
    for name, arrays in examples.tokens.items():
        batch[name] = np.zeros((len(indices), *arrays[0].shape[:-1], length), arrays[0].dtype)
        for row in np.flatnonzero(is_example):
            array = arrays[indices[row]]
            batch[name][row, ..., : array.shape[-1]] = array
    for name, values in examples.values.items():
        batch[name] = np.zeros((len(indices), *values.shape[1:]), values.dtype)
        batch[name][is_example] = values[indices[is_example]]
    weights = is_example.astype(np.float32)
    return batch | {"example_weights": weights, "example_index": indices.astype(np.int32)}


def _signature(
    examples: EncodedExamples, num_rows: int, length: int | None
) -> dict[str, tf.TensorSpec]:
    tokens = {
        name: tf.TensorSpec([num_rows, *arrays[0].shape[:-1], length], arrays[0].dtype)
        for name, arrays in examples.tokens.items()
    }
    values = {
        name: tf.TensorSpec([num_rows, *values.shape[1:]], values.dtype)
        for name, values in examples.values.items()
    }
    return {
        **tokens,
        **values,
        "example_weights": tf.TensorSpec([num_rows], tf.float32),
        "example_index": tf.TensorSpec([num_rows], tf.int32),
    }
