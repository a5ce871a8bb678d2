"""Sentences as numbers, and the logits of their tokens as a label for each word.

The first piece of a word represents it (paper, section 5.3). A word without a piece takes part in
nothing and is labeled by rule, so that what is written has as many rows as what was read.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.progress import Progress
from bert_keras.tasks.tagging.columns import Sentence
from bert_keras.tasks.tagging.labels import label_of_no_piece
from bert_keras.tasks.windows import Window, windows
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

NO_PIECE = Window(0, 0, np.zeros(0, bool))


class EncodedSentences(NamedTuple):
    """N windows of sentences, and which words are decided in each: every word in one.

    Attributes:
        examples: the inputs of a model, T_i positions in window i.
        words: N arrays int64 [D_i]: the words, counted through all sentences.
        positions: N arrays int64 [D_i]: where their first pieces are.
    """

    examples: EncodedExamples
    words: list[np.ndarray]
    positions: list[np.ndarray]


class _DecidedWords(NamedTuple):
    """A window: its ids int32 [T], its words as they count in the sentence, their positions."""

    ids: np.ndarray
    words: np.ndarray
    positions: np.ndarray


def encode(
    sentences: Sequence[Sentence], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> EncodedSentences:
    """Sentences as examples; one that is longer than `max_seq_length` becomes several of them."""
    ids, words, positions = [], [], []
    num_words = 0
    with Progress("encoding sentences", len(sentences), " sentences") as progress:
        for sentence in sentences:
            for window in _windows(sentence.words, tokenizer, max_seq_length):
                ids.append(window.ids)
                words.append(num_words + window.words)
                positions.append(window.positions)
            num_words += len(sentence.words)
            progress.advance()
    return EncodedSentences(EncodedExamples.of_sequences(ids), words, positions)


def with_targets(encoded: EncodedSentences, label_ids: np.ndarray) -> EncodedExamples:
    """The examples with `label_ids` int32 and `label_weights` float32 [T_i]: 1 at decided words.

    Args:
        encoded: the sentences.
        label_ids: that of each of their words.
    """
    targets, weights = [], []
    for ids, words, positions in zip(
        encoded.examples.tokens["input_ids"], encoded.words, encoded.positions, strict=True
    ):
        targets.append(np.zeros(len(ids), np.int32))
        targets[-1][positions] = label_ids[words]
        weights.append(np.zeros(len(ids), np.float32))
        weights[-1][positions] = 1
    tokens = {**encoded.examples.tokens, "label_ids": targets, "label_weights": weights}
    return encoded.examples._replace(tokens=tokens)


def predicted_labels(
    encoded: EncodedSentences,
    logits: Sequence[np.ndarray],
    sentences: Sequence[Sentence],
    labels: Sequence[str],
) -> list[list[str]]:
    """A label for each word of each sentence, from logits [at least T_i, L] of each window."""
    num_words = [len(sentence.words) for sentence in sentences]
    ids = np.full(sum(num_words), labels.index(label_of_no_piece(labels)))
    for of_window, words, positions in zip(logits, encoded.words, encoded.positions, strict=True):
        ids[words] = of_window[positions].argmax(axis=-1)
    of_sentences = np.split(ids, np.cumsum(num_words)[:-1])
    return [[labels[index] for index in of_sentence] for of_sentence in of_sentences]


def _windows(
    words: Sequence[str], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> Iterator[_DecidedWords]:
    """Yields a sentence in parts, each half a part after the one before it.

    A word is decided where its first piece has most context. Windows after the first one that
    decide nothing, as within a word of very many pieces, are left out.
    """
    pieces_of_words = [tokenizer.tokenize(word) for word in words]
    num_pieces = np.array([len(pieces) for pieces in pieces_of_words])
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
