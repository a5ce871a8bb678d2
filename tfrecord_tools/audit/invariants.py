"""What holds for every record, whatever was drawn.

A rule is a sentence, a feature, and a function (features, text, ids) -> bool of the feature's
shape: true where the rule is broken. `ids` are the `TokenIds` of the vocabulary, None for the rules
that need none. One rule is about records together: a set is of pairs, or of single texts.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.token_ids import TokenIds

RESTORED = "restored text"  # input_ids with masked_lm_ids put back
ALL_PAIRS = "where one record has two texts, all have"
MAX_NUM_IDS = 2**31  # of any vocabulary: models read int32


class Rule(NamedTuple):
    sentence: str
    feature: str
    is_broken: Callable[[Mapping[str, np.ndarray], Text, TokenIds | None], np.ndarray]


def _mask_is_not_a_prefix(features, text, ids):
    return features["input_mask"] != text.is_token


def _empty_text(features, text, ids):
    position = np.arange(text.tokens.shape[1])
    end_of_a, end_of_b = np.maximum(text.second_start - 1, 0), text.num_tokens - 1
    is_a_empty = end_of_a <= 1
    is_b_empty = text.has_second & (end_of_b == text.second_start)
    return (is_a_empty[:, None] & (position == end_of_a[:, None])) | (
        is_b_empty[:, None] & (position == end_of_b[:, None])
    )


def _wrong_segment(features, text, ids):
    position = np.arange(text.tokens.shape[1])
    expected = text.is_token & (position >= text.second_start[:, None])
    return (features["segment_ids"] != expected) | (expected & (text.second_start == 0)[:, None])


def _padding_is_not_zero(features, text, ids):
    return ~text.is_token & (features["input_ids"] != 0)


def _wrong_label(features, text, ids):
    labels = features["next_sentence_labels"]
    return (labels != 0) & (labels != 1)


def _label_of_one_text(features, text, ids):
    return (features["next_sentence_labels"] == 1) & ~text.has_second[:, None]


def _weights_are_not_a_prefix(features, text, ids):
    return features["masked_lm_weights"] != text.is_used


def _position_outside(features, text, ids):
    positions = features["masked_lm_positions"]
    is_outside = (positions < 0) | (positions >= text.num_tokens[:, None])
    return text.is_used & is_outside


def _position_not_ascending(features, text, ids):
    is_broken = text.is_used.copy()
    is_broken[:, 1:] &= np.diff(features["masked_lm_positions"], axis=1) <= 0
    is_broken[:, 0] = False
    return is_broken


def _position_on_special(features, text, ids):
    positions = np.clip(features["masked_lm_positions"], 0, text.tokens.shape[1] - 1)
    return text.is_used & np.take_along_axis(text.is_special, positions, axis=1)


def _unused_position(features, text, ids):
    return ~text.is_used & (features["masked_lm_positions"] != 0)


def _unused_id(features, text, ids):
    return ~text.is_used & (features["masked_lm_ids"] != 0)


def _wrong_word_start(features, text, ids):
    starts = features["starts_word"]
    may_start = text.is_token & ~text.is_special
    return (starts != 0) & ((starts != 1) | ~may_start)


def _input_id_out_of_range(features, text, ids):
    return _is_out_of_range(features["input_ids"], ids)


def _predicted_id_out_of_range(features, text, ids):
    return text.is_used & _is_out_of_range(features["masked_lm_ids"], ids)


def _is_out_of_range(values, ids):
    size = ids.size if ids else MAX_NUM_IDS
    return (values < 0) | (values >= size)


def _special_prediction(features, text, ids):
    return text.is_used & np.isin(features["masked_lm_ids"], (ids.pad, ids.cls, ids.sep, ids.mask))


def _wrong_special(features, text, ids):
    expected = np.where(np.arange(text.tokens.shape[1]) == 0, ids.cls, ids.sep)
    return text.is_special & (text.tokens != expected)


def _special_within_text(features, text, ids):
    is_text = text.is_token & ~text.is_special & ~text.is_predicted
    return is_text & _is_one_of(text.tokens, (ids.pad, ids.cls, ids.mask))


def _separator_within_pair(features, text, ids):
    return _is_inner_separator(text, ids) & text.has_second[:, None]


def _nothing_between_separators(features, text, ids):
    """A record without b may hold several documents, each of which ends with [SEP]."""
    is_inner = _is_inner_separator(text, ids)
    is_end = text.is_special | is_inner
    is_broken = np.zeros_like(is_inner)
    is_broken[:, 1:] = (is_inner[:, 1:] & is_end[:, :-1]) | (is_end[:, 1:] & is_inner[:, :-1])
    return is_broken & ~text.has_second[:, None]


def _is_inner_separator(text, ids):
    is_text = text.is_token & ~text.is_special & ~text.is_predicted
    return is_text & (text.tokens == ids.sep)


def _is_one_of(values, few):
    """`np.isin` in a third of the time."""
    return np.logical_or.reduce([values == one for one in few])


GENERAL = (
    Rule("input_mask is ones, then zeros", "input_mask", _mask_is_not_a_prefix),
    Rule("each text has at least 1 token", RESTORED, _empty_text),
    Rule("segment_ids are 0, then 1, then 0 in the padding", "segment_ids", _wrong_segment),
    Rule("input_ids are 0 in the padding", "input_ids", _padding_is_not_zero),
    Rule("input_ids are in the vocabulary", "input_ids", _input_id_out_of_range),
    Rule("next_sentence_labels are 0 or 1", "next_sentence_labels", _wrong_label),
    Rule(
        "next_sentence_labels are 0 where there is one text",
        "next_sentence_labels",
        _label_of_one_text,
    ),
)
MASKED = (
    Rule("weights are 1.0, then 0.0", "masked_lm_weights", _weights_are_not_a_prefix),
    Rule("masked positions lie within the record", "masked_lm_positions", _position_outside),
    Rule(
        "masked positions ascend and differ from each other",
        "masked_lm_positions",
        _position_not_ascending,
    ),
    Rule("[CLS] and [SEP] are never masked", "masked_lm_positions", _position_on_special),
    Rule("masked positions without weight are 0", "masked_lm_positions", _unused_position),
    Rule("masked_lm_ids without weight are 0", "masked_lm_ids", _unused_id),
    Rule("masked_lm_ids are in the vocabulary", "masked_lm_ids", _predicted_id_out_of_range),
)
UNMASKED = (Rule("starts_word is 1 within texts only", "starts_word", _wrong_word_start),)
WITH_VOCABULARY = (
    Rule("texts stand as [CLS] a [SEP] b [SEP]", RESTORED, _wrong_special),
    Rule(
        "within a text are no [PAD], [CLS] and unpredicted [MASK]", RESTORED, _special_within_text
    ),
    Rule("within the texts of a pair is no [SEP]", RESTORED, _separator_within_pair),
    Rule(
        "between two [SEP] of one text is at least 1 token", RESTORED, _nothing_between_separators
    ),
)
MASKED_WITH_VOCABULARY = (
    Rule("no special token is to be predicted", "masked_lm_ids", _special_prediction),
)


class Invariants:
    """Checks batch after batch of a set."""

    def __init__(self, ids: TokenIds | None, problems: Problems):
        self._ids = ids
        self._problems = problems
        self._has_pairs = False
        self._before_pairs = Problems()  # records of one text, wrong only if a pair is yet to come

    def check(self, batch: Batch, text: Text) -> np.ndarray:
        """Returns bool [B]: the records that keep every rule; the others go to the problems.

        Records of one text that come batches before the first pair are named, but were returned as
        sound.
        """
        is_sound = np.ones(len(batch.numbers), bool)
        for rule in _rules("masked_lm_ids" in batch.features, self._ids is not None):
            is_broken = rule.is_broken(batch.features, text, self._ids)
            if is_broken.any():
                self._add(rule, is_broken, batch, text)
                is_sound &= ~is_broken.any(axis=1)
        return is_sound & self._is_of_kind(batch, text, is_sound)

    def _add(self, rule: Rule, is_broken: np.ndarray, batch: Batch, text: Text) -> None:
        values = text.tokens if rule.feature == RESTORED else batch.features[rule.feature]

        def received(row):
            column = int(np.argmax(is_broken[row]))
            return f"{rule.feature}[{column}] is {values[row, column]}"

        self._problems.add_records(rule.sentence, batch, is_broken.any(axis=1), received)

    def _is_of_kind(self, batch: Batch, text: Text, is_sound: np.ndarray) -> np.ndarray:
        """bool [B]: not one text in a set of pairs; a record that is broken makes no such set."""
        if not self._has_pairs and (text.has_second & is_sound).any():
            self._has_pairs = True
            self._problems.extend(self._before_pairs)
        problems = self._problems if self._has_pairs else self._before_pairs
        problems.add_records(
            ALL_PAIRS, batch, ~text.has_second, lambda row: "segment_ids are all 0"
        )
        return text.has_second | (not self._has_pairs)


def _rules(is_masked: bool, has_vocabulary: bool) -> tuple[Rule, ...]:
    rules = GENERAL + (MASKED if is_masked else UNMASKED)
    if has_vocabulary:
        rules += WITH_VOCABULARY + (MASKED_WITH_VOCABULARY if is_masked else ())
    return rules
