"""Sentences as numbers, and the logits of their tokens as a label for each word.

A word is represented by its first piece (paper, section 5.3). Words without a piece take part in
nothing and are labeled by rule, so that what is written has as many rows as what was read.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.progress import Progress
from bert_keras.tasks.tagging.columns import Sentence
from bert_keras.tasks.tagging.labels import label_of_no_piece
from bert_keras.tasks.tagging.windows import windows
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class EncodedSentences(NamedTuple):
    """N windows of sentences, and what is decided in each.

    Attributes:
        examples: the inputs of a model, T_i positions in window i.
        words: N arrays int64 [D_i]: which words, counted through all sentences.
        positions: N arrays int64 [D_i]: where their first pieces are.
    """

    examples: EncodedExamples
    words: list[np.ndarray]
    positions: list[np.ndarray]


def encode(
    sentences: Sequence[Sentence], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> EncodedSentences:
    """Sentences longer than `max_seq_length` become several windows; each word counts in one.

    A word that is longer by itself loses its last pieces.
    """
    ids, words, positions = [], [], []
    num_words = 0
    with Progress("encoding sentences", len(sentences), " sentences") as progress:
        for sentence in sentences:
            for window in _encoded_windows(sentence.words, tokenizer, max_seq_length):
                ids.append(window.ids)
                words.append(num_words + window.words)
                positions.append(window.positions)
            num_words += len(sentence.words)
            progress.advance()
    tokens = {
        "input_ids": ids,
        "input_mask": [np.ones_like(row) for row in ids],
        "segment_ids": [np.zeros_like(row) for row in ids],
    }
    return EncodedSentences(EncodedExamples(tokens, {}), words, positions)


def with_targets(encoded: EncodedSentences, label_ids: np.ndarray) -> EncodedExamples:
    """Adds `label_ids` int32 and `label_weights` float32 [T_i], 1 where a word is decided.

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
    for window_logits, words, positions in zip(
        logits, encoded.words, encoded.positions, strict=True
    ):
        ids[words] = window_logits[positions].argmax(axis=-1)
    of_sentences = np.split(ids, np.cumsum(num_words)[:-1])
    return [[labels[index] for index in of_sentence] for of_sentence in of_sentences]


class _EncodedWindow(NamedTuple):
    ids: np.ndarray
    words: np.ndarray  # of the sentence
    positions: np.ndarray


def _encoded_windows(
    words: Sequence[str], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> list[_EncodedWindow]:
    room = max_seq_length - 2  # [CLS] and [SEP]
    pieces_of_word = [tokenizer.tokenize(word)[:room] for word in words]
    has_piece = np.array([index for index, pieces in enumerate(pieces_of_word) if pieces], np.int64)
    pieces_of_word = [pieces_of_word[index] for index in has_piece]
    num_pieces = np.array([len(pieces) for pieces in pieces_of_word], np.int64)
    starts = np.cumsum(num_pieces) - num_pieces
    encoded = []
    for first, end, decided in windows(num_pieces, room):
        pieces = [piece for pieces in pieces_of_word[first:end] for piece in pieces]
        ids = tokenizer.convert_tokens_to_ids(pack(pieces, (), max_seq_length).pieces)
        positions = 1 + starts[decided] - starts[first]  # after [CLS]
        encoded.append(_EncodedWindow(np.array(ids, np.int32), has_piece[decided], positions))
    return encoded
