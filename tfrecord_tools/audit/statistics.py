"""Counts over all records: lengths, padding, labels, predictions, words."""

import numpy as np

from tfrecord_tools.audit.parsing import Batch, Layout
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.token_ids import TokenIds

MAX_PIECES = 10  # words of more pieces are counted with those of so many
TRIVIAL_LABEL_SHARE = 0.8
MAX_UNKNOWN_SHARE = 0.05


class Lengths:
    """How many tokens a record has, and how much of the set is padding."""

    def __init__(self, layout: Layout):
        self._histogram = np.zeros(layout.max_seq_length + 1, np.int64)

    def add(self, batch: Batch, text: Text) -> None:
        self._histogram += np.bincount(text.num_tokens, minlength=len(self._histogram))

    def lines(self, values: dict) -> list[tuple[str, str]]:
        return [
            ("lengths", f"{described(self._histogram)}; {values['full_share']:.1%} full"),
            ("padding", f"{values['padding_share']:.1%} of all positions"),
        ]

    def findings(self, values: dict) -> list[str]:
        return []

    def values(self) -> dict:
        num_records, num_tokens = self._histogram.sum(), total(self._histogram)
        max_seq_length = len(self._histogram) - 1
        return {
            "num_tokens": num_tokens,
            "padding_share": 1 - num_tokens / max(1, num_records * max_seq_length),
            "full_share": self._histogram[-1] / max(1, num_records),
            "length_histogram": self._histogram,
        }


class Labels:
    """How often the second text is the one that follows (0) and another (1)."""

    def __init__(self):
        self._counts = np.zeros(2, np.int64)
        self._num_single = 0

    def add(self, batch: Batch, text: Text) -> None:
        has_second = text.second_start < text.num_tokens
        labels = batch.features["next_sentence_labels"][has_second, 0]
        self._counts += np.bincount(labels, minlength=2)
        self._num_single += np.count_nonzero(~has_second)

    def lines(self, values: dict) -> list[tuple[str, str]]:
        if not self._counts.sum():
            return [("labels", "none: every record holds one text")]
        share = values["label_1_share"]
        single = f"; {self._num_single:,} records of one text" if self._num_single else ""
        return [("labels", f"0 in {1 - share:.1%}, 1 in {share:.1%} of the pairs{single}")]

    def findings(self, values: dict) -> list[str]:
        share = self._counts.max() / max(1, self._counts.sum())
        if share <= TRIVIAL_LABEL_SHARE:
            return []
        return [
            f"label {self._counts.argmax()} stands in {share:.1%} of the pairs: whoever always "
            "answers so needs to learn nothing. Longer records or shorter sentences bring the "
            "labels nearer to a half each"
        ]

    def values(self) -> dict:
        share = self._counts[1] / max(1, self._counts.sum())
        return {"label_1_share": share, "label_histogram": self._counts}


class Predictions:
    """How many tokens of a record are to be predicted."""

    def __init__(self, layout: Layout):
        self._histogram = np.zeros(layout.max_predictions_per_seq + 1, np.int64)
        self._num_tokens = 0

    def add(self, batch: Batch, text: Text) -> None:
        num_predictions = np.count_nonzero(text.is_used, axis=1)
        self._histogram += np.bincount(num_predictions, minlength=len(self._histogram))
        self._num_tokens += int(text.num_tokens.sum())

    def lines(self, values: dict) -> list[tuple[str, str]]:
        share, full = values["predicted_share"], values["predictions_full_share"]
        return [
            (
                "predictions",
                f"{described(self._histogram)}; {share:.1%} of the tokens; {full:.1%} full",
            )
        ]

    def findings(self, values: dict) -> list[str]:
        if not self._histogram[0]:
            return []
        return [f"{self._histogram[0]:,} records have nothing to predict"]

    def values(self) -> dict:
        return {
            "num_predictions": total(self._histogram),
            "predicted_share": total(self._histogram) / max(1, self._num_tokens),
            "predictions_full_share": self._histogram[-1] / max(1, self._histogram.sum()),
            "prediction_histogram": self._histogram,
        }


class Words:
    """Pieces a word, and unknown tokens, in the text before masking.

    A piece that continues a word (`##...`) counts to the piece before it; a text may begin with
    one, where truncation cut a word. In unmasked records `starts_word` says where words begin.
    Words that hold an unknown token are not counted: nobody knows their pieces.
    """

    def __init__(self, ids: TokenIds):
        self._histogram = np.zeros(MAX_PIECES + 1, np.int64)
        self._num_pieces = 0
        self._num_tokens = 0
        self._num_unknown = 0
        self._ids = ids

    def add(self, batch: Batch, text: Text) -> None:
        is_text = text.is_token & ~text.is_special
        starts = batch.features.get("starts_word")
        if starts is None:
            starts = ~self._ids.is_continuation[text.tokens]
        begins_word = starts.astype(bool)
        begins_word[:, 1:] |= text.is_special[:, :-1]
        is_unknown = text.tokens[is_text] == self._ids.unknown
        num_unknown_before = np.append(0, np.cumsum(is_unknown))
        begins = np.flatnonzero(np.append(begins_word[is_text], True))
        is_known = np.diff(num_unknown_before[begins]) == 0
        num_pieces = np.diff(begins)[is_known]
        counted = np.minimum(num_pieces, MAX_PIECES)
        self._histogram += np.bincount(counted, minlength=len(self._histogram))
        self._num_pieces += int(num_pieces.sum())
        self._num_tokens += len(is_unknown)
        self._num_unknown += int(num_unknown_before[-1])

    def lines(self, values: dict) -> list[tuple[str, str]]:
        return [
            (
                "words",
                f"{values['pieces_a_word']:.2f} pieces a word, {values['whole_word_share']:.1%} "
                f"of one piece; {values['unknown_share']:.2%} of the tokens are [UNK]",
            )
        ]

    def findings(self, values: dict) -> list[str]:
        share = values["unknown_share"]
        if share <= MAX_UNKNOWN_SHARE:
            return []
        return [
            f"{share:.1%} of the tokens are [UNK]: is it the vocabulary of these texts? Nothing "
            "can be learned of a word that is [UNK]"
        ]

    def values(self) -> dict:
        num_words = max(1, self._histogram.sum())
        return {
            "pieces_a_word": self._num_pieces / num_words,
            "whole_word_share": self._histogram[1] / num_words,
            "unknown_share": self._num_unknown / max(1, self._num_tokens),
            "piece_histogram": self._histogram,
        }


def total(histogram: np.ndarray) -> int:
    """The sum of all values, of which `histogram[value]` were counted."""
    return int(histogram @ np.arange(len(histogram)))


def described(histogram: np.ndarray) -> str:
    """Least, median, mean and most of the values of which `histogram[value]` were counted."""
    seen = np.flatnonzero(histogram)
    if not seen.size:
        return "none"
    num = histogram.sum()
    median = np.searchsorted(np.cumsum(histogram), (num + 1) // 2)
    mean = total(histogram) / num
    return f"least {seen[0]}, median {median}, mean {mean:.1f}, most {seen[-1]}"
