"""Rows as arrays -> frames of TFRecord files, with the features of `bert_keras.data.features`."""

import numpy as np

from tfrecord_tools.bucketed.assembly import Batch
from tfrecord_tools.frames import frame
from tfrecord_tools.wire_format import (
    example,
    float_ones_feature,
    integer_feature,
    ones_feature,
    varints,
)


def masked_frames(batch: Batch, masked) -> list[bytes]:
    """Records of `pretraining_features`, one for each row.

    Args:
      batch: the rows.
      masked: their `tfrecord_tools.bucketed.masking.MaskedRows`.
    """
    max_predictions_per_seq = masked.positions.shape[1]
    ids = _rows("input_ids", masked.tokens)
    positions = _rows("masked_lm_positions", masked.positions)
    labels = _rows("masked_lm_ids", masked.labels)
    masks, segments, next_sentence_labels = _common(batch)
    weights = [
        float_ones_feature("masked_lm_weights", count, max_predictions_per_seq)
        for count in masked.num_predictions.tolist()
    ]
    columns = (ids, masks, labels, positions, weights, next_sentence_labels, segments)
    return [frame(example(features)) for features in zip(*columns, strict=True)]


def unmasked_frames(batch: Batch) -> list[bytes]:
    """Records of `unmasked_features`, one for each row."""
    ids = _rows("input_ids", batch.tokens)
    starts_word = _rows("starts_word", batch.starts_word)
    masks, segments, next_sentence_labels = _common(batch)
    columns = (ids, masks, next_sentence_labels, segments, starts_word)
    return [frame(example(features)) for features in zip(*columns, strict=True)]


def _common(batch: Batch) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The features input_mask, segment_ids and next_sentence_labels."""
    length = batch.tokens.shape[1]
    num_tokens = batch.num_tokens.tolist()
    num_in_b = batch.segment_ids.sum(axis=1).tolist()
    masks = [ones_feature("input_mask", 0, count, length) for count in num_tokens]
    segments = [
        ones_feature("segment_ids", count - in_b, in_b, length)
        for count, in_b in zip(num_tokens, num_in_b, strict=True)
    ]
    labels = [ones_feature("next_sentence_labels", 0, label, 1) for label in batch.labels.tolist()]
    return masks, segments, labels


def _rows(name: str, values: np.ndarray) -> list[bytes]:
    """A feature of whole numbers for each row of [R, M]."""
    encoded, starts = varints(values)
    starts = starts.tolist()
    return [
        integer_feature(name, encoded[start:end])
        for start, end in zip(starts, starts[1:], strict=False)
    ]
