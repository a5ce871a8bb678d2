"""TFRecords -> batches of features for pre-training, in an order that can be resumed anywhere.

Letters of shapes: B batch, T positions, P predictions.
"""

import os
from collections.abc import Iterable, Mapping, Sequence

import tensorflow as tf

from bert_keras.data import order
from bert_keras.data.features import Feature, pretraining_features
from bert_keras.data.records import Shard, check_first_records
from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files


def pretraining_dataset(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    shuffle_buffer_size: int = order.SHUFFLE_BUFFER_SIZE,
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
    shards = checked_shards(input_files, max_seq_length, max_predictions_per_seq)
    batches = order.shuffled_batches(
        shards, batch_size, seed, start_step, shuffle_buffer_size, worker_index, num_workers
    )
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
    shards = checked_shards(input_files, max_seq_length, max_predictions_per_seq)
    batches = order.ordered_batches(shards, batch_size, worker_index, num_workers)
    return _parsed(batches, max_seq_length, max_predictions_per_seq)


def checked_shards(
    input_files: str | Iterable[str] | Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    are_masked: bool = True,
) -> list[Shard]:
    """Returns the shards of files, checked by `check_first_records` unless that was done before.

    Raises:
      InputError: as there; or the records hold masks and must not, or the other way round.
    """
    shards = [] if isinstance(input_files, (str, os.PathLike)) else list(input_files)
    if not shards or not all(isinstance(shard, Shard) for shard in shards):
        files = expand_input_files(shards or input_files)
        shards = check_first_records(files, max_seq_length, max_predictions_per_seq)
    if shards[0].is_masked != are_masked:
        wanted, other = ("masked", "unmasked") if are_masked else ("unmasked", "masked")
        raise InputError(
            f"Expected {wanted} records; those of {shards[0].path} are {other}. "
            "pretraining_dataset reads masked ones, dynamic_pretraining_dataset unmasked ones."
        )
    return shards


def parse(
    records: tf.Tensor, max_seq_length: int, max_predictions_per_seq: int
) -> dict[str, tf.Tensor]:
    """Serialized records [B] -> their features, int32 or float32."""
    return parse_features(records, pretraining_features(max_seq_length, max_predictions_per_seq))


def parse_features(records: tf.Tensor, features: Mapping[str, Feature]) -> dict[str, tf.Tensor]:
    """Serialized records [B] -> the features named, int32 or float32.

    A whole batch at a time is five times as fast as one record at a time.
    """
    specification = {
        name: tf.io.FixedLenFeature(feature.shape, feature.dtype)
        for name, feature in features.items()
    }
    parsed = tf.io.parse_example(records, specification)
    return {  # saturated, so that an id out of range does not come back as another one
        name: tf.saturate_cast(values, tf.int32) if values.dtype == tf.int64 else values
        for name, values in parsed.items()
    }


def _parsed(
    batches: tf.data.Dataset, max_seq_length: int, max_predictions_per_seq: int
) -> tf.data.Dataset:
    """Batches of serialized records -> batches of features, some of them in advance."""
    parsed = batches.map(
        lambda records: parse(records, max_seq_length, max_predictions_per_seq),
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )
    return parsed.prefetch(tf.data.AUTOTUNE)
