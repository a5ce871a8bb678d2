"""The text of records as it was before masking."""

from typing import NamedTuple

import numpy as np

from tfrecord_tools.audit.parsing import Batch


class Text(NamedTuple):
    """`[CLS] a [SEP] b [SEP]`, or one text `[CLS] a [SEP]`, with nothing hidden."""

    tokens: np.ndarray  # int64 [B, T]: input_ids with masked_lm_ids put back
    num_tokens: np.ndarray  # int64 [B]
    second_start: np.ndarray  # int64 [B], position of the first token of b; num_tokens without b
    is_token: np.ndarray  # bool [B, T], false in the padding
    is_special: np.ndarray  # bool [B, T], the places of [CLS] and of the [SEP] that end a and b
    is_predicted: np.ndarray  # bool [B, T]
    is_used: np.ndarray  # bool [B, P], the slots that hold a prediction; P is 0 without masks

    @property
    def has_second(self) -> np.ndarray:
        """bool [B], false where there is no b."""
        return self.second_start < self.num_tokens

    def where(self, is_kept: np.ndarray) -> "Text":
        """The records for which `is_kept` [B] is true."""
        return Text(*(values[is_kept] for values in self))


def restore(batch: Batch) -> Text:
    """Puts the predicted tokens back.

    The places of special tokens follow from input_mask and segment_ids, so no vocabulary is
    needed. Predictions outside of a record are passed over: `invariants` names them.
    """
    features = batch.features
    tokens = features["input_ids"].copy()
    num_rows, length = tokens.shape
    num_tokens = np.count_nonzero(features["input_mask"] == 1, axis=1)
    position = np.arange(length)
    is_token = position < num_tokens[:, None]
    second_start = num_tokens - np.count_nonzero(is_token & (features["segment_ids"] == 1), axis=1)
    is_special = np.zeros(tokens.shape, bool)
    row = np.arange(num_rows)
    for place in (np.zeros_like(num_tokens), second_start - 1, num_tokens - 1):
        is_special[row, np.maximum(place, 0)] = True
    is_predicted = np.zeros(tokens.shape, bool)
    is_used = np.zeros((num_rows, 0), bool)
    if "masked_lm_positions" in features:
        positions, weights = features["masked_lm_positions"], features["masked_lm_weights"]
        num_used = np.count_nonzero(weights == 1, axis=1)
        is_used = np.arange(weights.shape[1]) < num_used[:, None]
        is_put_back = is_used & (positions >= 0) & (positions < length)
        place = np.nonzero(is_put_back)[0], positions[is_put_back]
        tokens[place] = features["masked_lm_ids"][is_put_back]
        is_predicted[place] = True
    return Text(tokens, num_tokens, second_start, is_token, is_special, is_predicted, is_used)
