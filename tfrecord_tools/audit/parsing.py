"""Serialized records -> arrays; what is no record of the set's kind is named and left out."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.data.features import Feature, is_masked, pretraining_features, unmasked_features
from bert_keras.errors import InputError
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.audit.reading import SerializedBatch
from tfrecord_tools.records import deserialize

MASKED_ONLY = tuple(name for name in pretraining_features(0, 0) if name not in unmasked_features(0))
ONE_KIND = "every record holds the features of a pre-training record"
SAME_LENGTHS = "all records have the lengths of the first"


class Layout(NamedTuple):
    """What every record of a set holds."""

    max_seq_length: int  # T
    max_predictions_per_seq: int | None  # P; None for unmasked records

    @property
    def is_masked(self) -> bool:
        return self.max_predictions_per_seq is not None

    @property
    def features(self) -> dict[str, Feature]:
        if self.is_masked:
            return pretraining_features(self.max_seq_length, self.max_predictions_per_seq)
        return unmasked_features(self.max_seq_length)

    def __str__(self) -> str:
        masks = f"{self.max_predictions_per_seq} predictions" if self.is_masked else "no masks"
        return f"{self.max_seq_length} tokens and {masks}"


class Batch(NamedTuple):
    """Records of one file that all have the layout of the set."""

    file: str
    numbers: np.ndarray  # int64 [B], of each record in its file, from 1
    keys: np.ndarray  # uint64 [B], equal for records of equal bytes
    features: Mapping[str, np.ndarray]  # int64 or float32 [B, T], [B, P] or [B, 1]

    def where(self, is_kept: np.ndarray) -> "Batch":
        """The records for which `is_kept` [B] is true."""
        features = {name: values[is_kept] for name, values in self.features.items()}
        return Batch(self.file, self.numbers[is_kept], self.keys[is_kept], features)


class Parser:
    """Parses batch after batch; the first sound record decides on the layout of the set."""

    def __init__(self, problems: Problems):
        self.layout: Layout | None = None
        self._problems = problems
        self._parse_examples = None

    def parse(self, batch: SerializedBatch) -> Batch | None:
        """Returns the records that have the layout; None as long as there was no sound record."""
        is_sound = np.ones(len(batch.records), bool)
        features = self._features(batch.records) if self.layout else None
        if features is None:
            is_sound = np.array([self._is_sound(batch, row) for row in range(len(is_sound))])
            features = self._features(batch.records[is_sound]) if self.layout else None
        if features is None:
            return None
        return Batch(batch.file, batch.numbers[is_sound], batch.digests[is_sound, 0], features)

    def _features(self, records: np.ndarray) -> dict[str, np.ndarray] | None:
        """Parses all at once; None if one of the records does not have the layout."""
        try:
            parsed = self._parse_examples(tf.constant(records, tf.string))
        except tf.errors.InvalidArgumentError:
            return None
        if any(tf.size(parsed.pop(name).values) for name in _forbidden(self.layout)):
            return None
        return {name: tensor.numpy() for name, tensor in parsed.items()}

    def _is_sound(self, batch: SerializedBatch, row: int) -> bool:
        where = f"{batch.file}, record {batch.numbers[row]}"
        try:
            layout = layout_of(batch.records[row])
        except InputError as error:
            self._problems.add(ONE_KIND, f"{where}: {error}")
            return False
        if self.layout is None:
            self.layout = layout
            self._parse_examples = _parsing_function(layout)
        if layout != self.layout:
            self._problems.add(SAME_LENGTHS, f"{where}: {layout}; the first has {self.layout}")
        return layout == self.layout


def layout_of(record: bytes) -> Layout:
    """The layout of one serialized record; raises InputError if it is no pre-training record."""
    features = deserialize(record)
    num_predictions = len(features["masked_lm_positions"]) if is_masked(features) else None
    layout = Layout(len(features["input_ids"]), num_predictions)
    if masks := [name for name in _forbidden(layout) if name in features]:
        raise InputError(f"An unmasked record has no {', '.join(masks)}.")
    return layout


def _forbidden(layout: Layout) -> tuple[str, ...]:
    return () if layout.is_masked else MASKED_ONLY


def _parsing_function(layout: Layout):
    """string [B] -> name -> [B, length], all records at once."""
    spec = {
        name: tf.io.FixedLenFeature(feature.shape, feature.dtype)
        for name, feature in layout.features.items()
    }
    masks = pretraining_features(0, 0)
    spec |= {name: tf.io.VarLenFeature(masks[name].dtype) for name in _forbidden(layout)}
    signature = [tf.TensorSpec([None], tf.string)]
    return tf.function(lambda records: tf.io.parse_example(records, spec), signature)
