"""Documents -> rows of texts: what stands together in a record, before masks.

A row is written [CLS] text [SEP] text [SEP] ..., where a text is a range of the bucket's tokens.
Which texts, and what the label means, depends on what is learned:

next_sentence   a and b; label 1 = b is from another document (Devlin et al. 2018, section 3.1 and
                appendix A.2; create_instances_from_document of google-research/bert)
sentence_order  a and b follow each other; label 1 = they are swapped (Lan et al. 2019, section 3.1)
full_sentences  whole sentences up to the length, on into the next document (Liu et al. 2019,
                section 4.2); label 0
doc_sentences   the same, but a document ends a row; label 0
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from bert_keras.errors import InputError
from tfrecord_tools.bucketed.documents import Documents

# Of a record, by --pairs: [CLS] a [SEP] b [SEP], or [CLS] text [SEP].
NUM_SPECIAL_TOKENS = {"next_sentence": 3, "sentence_order": 3, "none": 2}
MAX_DRAWS = 64  # of another document, before all the others are listed
NUM_DRAWN_AT_A_TIME = 1 << 14


class Rows(NamedTuple):
    """R rows of K texts."""

    text_rows: np.ndarray  # int64 [K], ascending: which row a text belongs to
    text_segments: np.ndarray  # int64 [K], its segment id
    text_starts: np.ndarray  # int64 [K], the text is tokens[start:end] of the documents
    text_ends: np.ndarray  # int64 [K]
    labels: np.ndarray  # int64 [R]
    num_dropped_tokens: int  # cut off to fit
    num_left_out_tokens: int  # in sentences that could not be paired
    num_without_other: int = 0  # texts that were to be random, but there is no other document


class _Pairs:
    """Collects rows of two texts."""

    def __init__(self):
        self._bounds: list[tuple[int, int, int, int]] = []
        self._labels: list[int] = []
        self.num_left_out_tokens = 0
        self.num_without_other = 0

    def add(self, a_start: int, a_end: int, b_start: int, b_end: int, label: int) -> None:
        self._bounds.append((a_start, a_end, b_start, b_end))
        self._labels.append(label)

    def truncated(self, max_num_tokens: int, rng: np.random.Generator) -> Rows:
        """The rows, cut to the length where they are longer."""
        bounds = np.array(self._bounds, np.int64).reshape(-1, 2, 2)  # [R, a or b, start or end]
        lengths = bounds[:, :, 1] - bounds[:, :, 0]
        num_cut = lengths - _truncated_lengths(lengths, max_num_tokens)
        # The original takes one token after another, each off the front or the back by chance.
        num_cut_in_front = rng.binomial(num_cut, 0.5)
        bounds[:, :, 0] += num_cut_in_front
        bounds[:, :, 1] -= num_cut - num_cut_in_front
        return Rows(
            text_rows=np.repeat(np.arange(len(bounds)), 2),
            text_segments=np.tile([0, 1], len(bounds)),
            text_starts=bounds[:, :, 0].ravel(),
            text_ends=bounds[:, :, 1].ravel(),
            labels=np.array(self._labels, np.int64),
            num_dropped_tokens=int(num_cut.sum()),
            num_left_out_tokens=self.num_left_out_tokens,
            num_without_other=self.num_without_other,
        )


def next_sentence(
    documents: Documents, max_seq_length: int, short_seq_prob: float, rng: np.random.Generator
) -> Rows:
    """Runs of sentences that fill the target length, each split into a and b; half the b's random.

    As in the original but for one thing: a random b never comes from the same document, a copy of
    it, or another part of it, nor begins with the sentence that follows a. Where there is no other,
    b follows a, and a sentence that has none after it is left out.
    """
    max_num_tokens = max_seq_length - NUM_SPECIAL_TOKENS["next_sentence"]
    first_tokens = documents.first_tokens.tolist()
    first_sentences = documents.first_sentences.tolist()
    draws = _draws(rng)
    others = _Others(documents, draws)
    pairs = _Pairs()
    for document, (start, stop) in enumerate(
        zip(first_sentences, first_sentences[1:], strict=False)
    ):
        target = _target(max_num_tokens, short_seq_prob, draws)
        while start < stop:
            end = bisect_left(first_tokens, first_tokens[start] + target, start + 1, stop)
            is_single = end - start == 1
            split = start + 1 + int(next(draws) * (end - start - 1))
            a = first_tokens[start], first_tokens[split]
            other = None
            if is_single or next(draws) < 0.5:
                other = others.draw_sentence(document, split)
                pairs.num_without_other += other is None
            if other is not None:
                b, b_stop = other
                b_target = first_tokens[b] + target - (a[1] - a[0])
                b_end = bisect_left(first_tokens, b_target, b + 1, b_stop)
                pairs.add(*a, first_tokens[b], first_tokens[b_end], 1)
                end = split  # the sentences that were not used begin the next run
            elif is_single:
                pairs.num_left_out_tokens += a[1] - a[0]
            else:
                pairs.add(*a, a[1], first_tokens[end], 0)
            start = end
    return pairs.truncated(max_num_tokens, rng)


def sentence_order(
    documents: Documents, max_seq_length: int, short_seq_prob: float, rng: np.random.Generator
) -> Rows:
    """Runs of at least two sentences that fill the target length, split; half of them swapped.

    The last sentence of a document is left out if it stands alone.
    """
    max_num_tokens = max_seq_length - NUM_SPECIAL_TOKENS["sentence_order"]
    first_tokens = documents.first_tokens.tolist()
    first_sentences = documents.first_sentences.tolist()
    draws = _draws(rng)
    pairs = _Pairs()
    for start, stop in zip(first_sentences, first_sentences[1:], strict=False):
        target = _target(max_num_tokens, short_seq_prob, draws)
        while start < stop - 1:
            end = bisect_left(first_tokens, first_tokens[start] + target, start + 2, stop)
            split = start + 1 + int(next(draws) * (end - start - 1))
            a = first_tokens[start], first_tokens[split]
            b = first_tokens[split], first_tokens[end]
            if next(draws) < 0.5:
                pairs.add(*b, *a, 1)
            else:
                pairs.add(*a, *b, 0)
            start = end
        pairs.num_left_out_tokens += first_tokens[stop] - first_tokens[start]
    return pairs.truncated(max_num_tokens, rng)


def full_sentences(
    documents: Documents, max_seq_length: int, short_seq_prob: float, rng: np.random.Generator
) -> Rows:
    """As many whole sentences as fit, on into the next document after a further [SEP].

    Documents follow each other in an order that is drawn. A sentence longer than a row is cut, so
    that nothing is lost. No target length is drawn: `short_seq_prob` has no part in it.
    """
    return _packed([rng.permutation(documents.num_documents)], documents, max_seq_length)


def doc_sentences(
    documents: Documents, max_seq_length: int, short_seq_prob: float, rng: np.random.Generator
) -> Rows:
    """As many whole sentences of one document as fit, otherwise as `full_sentences`."""
    return _packed([[index] for index in range(documents.num_documents)], documents, max_seq_length)


def _packed(groups: Iterable[Iterable[int]], documents: Documents, max_seq_length: int) -> Rows:
    """Fills rows with the sentences of one document after another; every group begins a row."""
    first_tokens = documents.first_tokens.tolist()
    document_bounds = documents.first_tokens[documents.first_sentences].tolist()
    empty = max_seq_length - 1  # [CLS]; a text takes one more than its tokens, for its [SEP]
    text_rows, text_starts, text_ends = [], [], []
    row = -1
    for group in groups:
        room = 0
        for document in group:
            token, stop = document_bounds[document], document_bounds[document + 1]
            while token < stop:
                last = bisect_right(first_tokens, token + room - 1, lo=1) - 1
                end = min(stop, first_tokens[last])
                if end <= token and room < empty:
                    row, room = row + 1, empty
                    continue
                if end <= token:
                    end = token + room - 1  # of a sentence longer than a row
                text_rows.append(row)
                text_starts.append(token)
                text_ends.append(end)
                room -= end - token + 1
                token = end
    return Rows(
        text_rows=np.array(text_rows, np.int64),
        text_segments=np.zeros(len(text_rows), np.int64),
        text_starts=np.array(text_starts, np.int64),
        text_ends=np.array(text_ends, np.int64),
        labels=np.zeros(row + 1, np.int64),
        num_dropped_tokens=0,
        num_left_out_tokens=0,
    )


def row_maker(pairs: str, packing: str) -> Callable[..., Rows]:
    """The function that `--pairs` names or, where it is `none`, `--packing`.

    Raises:
      InputError: one of them is unknown.
    """
    for flag, value, known in (
        ("pairs", pairs, (*PAIRS, "none")),
        ("packing", packing, tuple(PACKINGS)),
    ):
        if value not in known:
            raise InputError(f"--{flag} must be one of {', '.join(known)}. Received: {value}")
    return PACKINGS[packing] if pairs == "none" else PAIRS[pairs]


def _draws(rng: np.random.Generator) -> Iterator[float]:
    """Endless numbers from [0, 1); asking numpy for one at a time takes ten times as long."""
    while True:
        yield from rng.random(NUM_DRAWN_AT_A_TIME).tolist()


def _target(max_num_tokens: int, short_seq_prob: float, draws: Iterator[float]) -> int:
    """How long the runs of a document shall be: mostly the maximum."""
    if next(draws) < short_seq_prob:
        return 2 + int(next(draws) * (max_num_tokens - 1))
    return max_num_tokens


class _Others:
    """Draws sentences of other documents, for random texts to begin with."""

    def __init__(self, documents: Documents, draws: Iterator[float]):
        self._documents = documents
        self._keys = documents.keys.tolist()
        self._origins = documents.origins.tolist()
        self._first_sentences = documents.first_sentences.tolist()
        self._first_tokens = documents.first_tokens.tolist()
        self._has_any = len(set(self._keys)) > 1 and len(set(self._origins)) > 1
        self._of_other_text: dict[int, list[int]] = {}  # key -> documents, where they are rare
        self._draws = draws

    def draw_sentence(self, document: int, next_sentence: int) -> tuple[int, int] | None:
        """A sentence of another document, and where that document ends; None if there is none.

        `next_sentence` follows a in its document. A sentence that begins alike is no random one:
        documents may share passages.
        """
        for _ in range(MAX_DRAWS if self._has_any else 0):
            other = self._draw_document(document)
            if other is None:
                return None
            start, stop = self._first_sentences[other : other + 2]
            sentence = start + int(next(self._draws) * (stop - start))
            is_last = next_sentence == self._first_sentences[document + 1]
            if is_last or not self._begin_alike(sentence, next_sentence):
                return sentence, stop
        return None

    def _draw_document(self, document: int) -> int | None:
        """A document of another text and another origin, all with the same chance."""
        key, origin = self._keys[document], self._origins[document]
        for _ in range(MAX_DRAWS):
            index = int(next(self._draws) * len(self._keys))
            if self._keys[index] != key and self._origins[index] != origin:
                return index
        if key not in self._of_other_text:
            self._of_other_text[key] = np.flatnonzero(self._documents.keys != key).tolist()
        others = [i for i in self._of_other_text[key] if self._origins[i] != origin]
        return others[int(next(self._draws) * len(others))] if others else None

    def _begin_alike(self, sentence: int, other: int) -> bool:
        """Whether one sentence is the beginning of the other: lines may be broken elsewhere."""
        start, end = self._first_tokens[sentence : sentence + 2]
        other_start, other_end = self._first_tokens[other : other + 2]
        length = min(end - start, other_end - other_start)
        tokens = self._documents.tokens
        return tokens[start] == tokens[other_start] and np.array_equal(
            tokens[start : start + length], tokens[other_start : other_start + length]
        )


def _truncated_lengths(lengths: np.ndarray, max_num_tokens: int) -> np.ndarray:
    """Lengths of a and b [R, 2] after tokens went off the longer one (a tie: off b) until both fit.

    So the shorter keeps what it has up to half the maximum, and the longer gets the rest.
    """
    a, b = lengths[:, 0], lengths[:, 1]
    half_a = (max_num_tokens + 1) // 2  # the odd token is a's
    half_b = max_num_tokens - half_a
    new_a = np.where(b <= half_b, max_num_tokens - b, np.minimum(a, half_a))
    new_b = max_num_tokens - new_a
    is_longer = a + b > max_num_tokens
    return np.where(is_longer[:, np.newaxis], np.stack([new_a, new_b], axis=1), lengths)


PAIRS = {"next_sentence": next_sentence, "sentence_order": sentence_order}
PACKINGS = {"full_sentences": full_sentences, "doc_sentences": doc_sentences}
