"""Unmasked TFRecords -> batches with masks that are drawn anew in every epoch.

The order of the records is that of `bert_keras.data.pipeline`. The masks are a function of
(seed, place in the endless stream) alone, so batch k is known without the batches before it here
too. Blocks are masked and then cut into batches, since small batches are masked slowly.
"""

from collections.abc import Iterable, Sequence

import tensorflow as tf

from bert_keras.data import order
from bert_keras.data.features import unmasked_features
from bert_keras.data.masking import NUM_ROWS_OF_BLOCK, mask_block
from bert_keras.data.masking_settings import Masking
from bert_keras.data.pipeline import checked_shards, parse_features
from bert_keras.data.records import Shard
from bert_keras.errors import InputError

EVALUATION_SEED = 0


def dynamic_pretraining_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    masking: Masking,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    shuffle_buffer_size: int = order.SHUFFLE_BUFFER_SIZE,
    worker_index: int = 0,
    num_workers: int = 1,
) -> tf.data.Dataset:
    """Returns an endless stream of shuffled batches with fresh masks.

    Batches, arguments and errors are those of `pretraining_dataset`; a masking of `none` is an
    InputError too. Every worker masks all records and keeps its own.

    Args:
      masking: how tokens are chosen and hidden; it says how many predictions there are, too.
      seed: chooses the order and the masks.
    """
    rows = order.rows_of_worker(batch_size, worker_index, num_workers)
    order.check_at_least(0, start_step=start_step)
    first_block, num_skipped = divmod(start_step * batch_size, NUM_ROWS_OF_BLOCK)
    shards = _unmasked_shards(input_files, max_seq_length, masking)
    blocks = order.shuffled_batches(
        shards, NUM_ROWS_OF_BLOCK, seed, first_block, shuffle_buffer_size
    )

    def mask(number, records):
        first_row = tf.where(number == first_block, num_skipped, 0)
        features = parse_features(records[first_row:], unmasked_features(max_seq_length))
        return mask_block(features, masking, seed, number, first_row)

    return _batches(blocks.enumerate(first_block), mask, batch_size, rows, drop_remainder=True)


def dynamic_evaluation_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    masking: Masking,
    batch_size: int,
    worker_index: int = 0,
    num_workers: int = 1,
) -> tf.data.Dataset:
    """Returns one pass over the records in the order of the files, with the same masks every time.

    Batches, arguments and errors are those of `evaluation_dataset`.
    """
    rows = order.rows_of_worker(batch_size, worker_index, num_workers)
    shards = _unmasked_shards(input_files, max_seq_length, masking)
    blocks = order.ordered_batches(shards, NUM_ROWS_OF_BLOCK)

    def mask(number, records):
        features = parse_features(records, unmasked_features(max_seq_length))
        return mask_block(features, masking, EVALUATION_SEED, number)

    return _batches(blocks.enumerate(), mask, batch_size, rows, drop_remainder=False)


def _unmasked_shards(input_files, max_seq_length, masking):
    if masking.settings.masking == "none":
        raise InputError(
            "masking must say how fresh masks are made: token, whole_word, ngram or span. "
            "Received: none"
        )
    most = masking.settings.max_predictions_per_seq
    return checked_shards(input_files, max_seq_length, most, are_masked=False)


def _batches(blocks, mask, batch_size, rows, drop_remainder):
    """Numbered blocks of serialized records -> a worker's batches of masked features."""
    masked = blocks.map(mask, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
    batches = masked.rebatch(batch_size, drop_remainder)
    batches = batches.map(lambda features: {name: of[rows] for name, of in features.items()})
    return batches.prefetch(tf.data.AUTOTUNE)
