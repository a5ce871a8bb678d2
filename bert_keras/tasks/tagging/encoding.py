"""Sentences as windows of tokens, and what a model makes of these as a row for each word.

The first piece of a word represents it (paper, section 5.3). A word without a piece takes part in
nothing and is labeled by rule, so that what is written has as many rows as what was read.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.tasks.task import Encoded
from bert_keras.tasks.windows import Window, windows
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

NO_PIECE = Window(0, 0, np.zeros(0, bool))


class WordPlaces(NamedTuple):
    """Which words are decided in each of N windows: every word with a piece in one.

    Attributes:
        words: N arrays int64 [D_i]: the words, counted through all sentences.
        positions: N arrays int64 [D_i]: where their first pieces are.
        num_words: of each sentence.
    """

    words: list[np.ndarray]
    positions: list[np.ndarray]
    num_words: list[int]


class _DecidedWords(NamedTuple):
    """A window: its ids int32 [T], its words as they count in the sentence, their positions."""

    ids: np.ndarray
    words: np.ndarray
    positions: np.ndarray


def encode_sentences(
    sentences: Iterable[Sequence[str]], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> Encoded:
    """The words of sentences as examples; a sentence that does not fit becomes several of them.

    `places` are `WordPlaces`.
    """
    ids, words, positions, num_words = [], [], [], []
    num_before = 0
    for sentence in sentences:
        for window in _windows(sentence, tokenizer, max_seq_length):
            ids.append(window.ids)
            words.append(num_before + window.words)
            positions.append(window.positions)
        num_words.append(len(sentence))
        num_before += len(sentence)
    places = WordPlaces(words, positions, num_words)
    return Encoded(EncodedExamples.of_sequences(ids), places)


def with_targets(encoded: Encoded, label_ids: np.ndarray) -> EncodedExamples:
    """The examples with `label_ids` int32 and `label_weights` float32 [T_i]: 1 at decided words.

    Args:
        encoded: the sentences.
        label_ids: that of each of their words.
    """
    targets, weights = [], []
    places: WordPlaces = encoded.places
    for ids, words, positions in zip(
        encoded.examples.tokens["input_ids"], places.words, places.positions, strict=True
    ):
        targets.append(np.zeros(len(ids), np.int32))
        targets[-1][positions] = label_ids[words]
        weights.append(np.zeros(len(ids), np.float32))
        weights[-1][positions] = 1
    tokens = {**encoded.examples.tokens, "label_ids": targets, "label_weights": weights}
    return encoded.examples._replace(tokens=tokens)


def at_words(
    outputs: Sequence[np.ndarray], places: WordPlaces, without_piece: np.ndarray
) -> list[np.ndarray]:
    """What a model makes of the first piece of each word, a sentence an array [W, ...].

    Args:
        outputs: of each window, [at least T_i, ...].
        places: where in them the words are.
        without_piece: the row [...] of words that no window holds.
    """
    num_words = sum(places.num_words)
    rows = np.repeat(np.asarray(without_piece, np.float32)[np.newaxis], num_words, axis=0)
    for of_window, words, positions in zip(outputs, places.words, places.positions, strict=True):
        rows[words] = of_window[positions]
    return np.split(rows, np.cumsum(places.num_words)[:-1]) if places.num_words else []


def _windows(
    words: Sequence[str], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> Iterator[_DecidedWords]:
    """Yields a sentence in parts, each half a part after the one before it.

    A word is decided where its first piece has most context. Windows after the first one that
    decide nothing, as within a word of very many pieces, are left out.
    """
    pieces_of_words = [tokenizer.tokenize(word) for word in words]
    num_pieces = np.array([len(pieces) for pieces in pieces_of_words], np.int64)
    words_with_pieces = np.flatnonzero(num_pieces)
    first_pieces = (np.cumsum(num_pieces) - num_pieces)[words_with_pieces]
    pieces = [piece for of_word in pieces_of_words for piece in of_word]
    room = max_seq_length - 2
    parts = windows(len(pieces), room, max(1, room // 2)) or (NO_PIECE,)
    for start, length, has_max_context in parts:
        inside = np.flatnonzero((start <= first_pieces) & (first_pieces < start + length))
        decided = inside[has_max_context[first_pieces[inside] - start]]
        if decided.size or not start:
            tokens = (CLASSIFICATION, *pieces[start : start + length], SEPARATOR)
            yield _DecidedWords(
                ids=np.array(tokenizer.convert_tokens_to_ids(tokens), np.int32),
                words=words_with_pieces[decided],
                positions=1 + first_pieces[decided] - start,  # after [CLS]
            )
