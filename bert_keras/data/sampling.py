"""The first records of every file in numbers: what checks before a run look at."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.data.features import pretraining_features, unmasked_features
from bert_keras.data.pipeline import parse_features
from bert_keras.data.records import MEASURES, Shard, checked_values, first_records
from bert_keras.errors import InputError

# Of all files together, and at least one of each: read in a second, and of 128 tokens they hold
# some 70,000 predictions, enough to know the entropy of their words to a few hundredths of a nat.
NUM_SAMPLED_RECORDS = 4096
IDS = ("input_ids", "segment_ids", "masked_lm_ids")


class Sample(NamedTuple):
    """What the first records of all files hold.

    Attributes:
      ranges: path -> name of a feature of ids -> its smallest and its largest value.
      labels: their next-sentence labels, int32 [R].
      words: the ids to predict or, of records without masks, all ids but those of [CLS], [SEP] and
        padding; int32 of one axis.
    """

    ranges: dict[str, dict[str, tuple[int, int]]]
    labels: np.ndarray
    words: np.ndarray


def sample_records(
    shards: Sequence[Shard],
    max_seq_length: int,
    max_predictions_per_seq: int,
    num_records: int = NUM_SAMPLED_RECORDS,
) -> Sample:
    """Reads the first records of every file, as many of each.

    Args:
      shards: the files, as `check_first_records` returns them.
      max_seq_length: T of the records.
      max_predictions_per_seq: P of the records; without meaning if they hold no masks.
      num_records: how many of all files together; every file gives one at least.

    Raises:
      InputError: one of them is damaged or of another kind; the message names the file.
    """
    lengths = dict(zip(MEASURES, (max_seq_length, max_predictions_per_seq), strict=True))
    ranges, labels, words = {}, [], []
    for shard, records in first_records(shards, max(1, num_records // len(shards))):
        features = _parsed(shard, records, lengths)
        ranges[shard.path] = {
            name: (int(features[name].min()), int(features[name].max()))
            for name in IDS
            if name in features
        }
        labels.append(features["next_sentence_labels"].ravel())
        words.append(_words(features))
    return Sample(ranges, np.concatenate(labels), np.concatenate(words))


def _parsed(shard: Shard, records: np.ndarray, lengths: dict[str, int]) -> dict[str, np.ndarray]:
    """Serialized records [R] -> name -> int32 or float32 [R, ...]."""
    if shard.is_masked:
        features = pretraining_features(*lengths.values())
    else:
        features = unmasked_features(lengths["max_seq_length"])
    try:
        parsed = parse_features(tf.constant(records), features)
    except tf.errors.InvalidArgumentError as error:
        # TensorFlow names neither the file nor the flag: the records are looked at one by one.
        for record in records:
            checked_values(shard.path, record, lengths)
        raise InputError(
            f"Records must all hold masks, or none of them; {shard.path} holds both. "
            "Make its records again."
        ) from error
    return {name: values.numpy() for name, values in parsed.items()}


def _words(features: dict[str, np.ndarray]) -> np.ndarray:
    """What a model is asked for: of records without masks that may be any word."""
    if "masked_lm_ids" in features:
        return features["masked_lm_ids"][features["masked_lm_weights"] > 0]
    ids, is_token = features["input_ids"], features["input_mask"] > 0
    last = np.maximum(is_token.sum(axis=1, keepdims=True) - 1, 0)
    classification, separator = ids[:, :1], np.take_along_axis(ids, last, axis=1)
    return ids[is_token & (ids != classification) & (ids != separator)]
