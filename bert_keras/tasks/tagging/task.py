"""Sentences whose words are to be labeled, and the entities that their labels name."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import Outputs
from bert_keras.tasks.sequences import check_text
from bert_keras.tasks.tagging.encoding import at_words, encode_sentences
from bert_keras.tasks.tagging.entities import entity_spans
from bert_keras.tasks.tagging.labels import are_of_entities, label_of_no_piece
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class TaggedWord(NamedTuple):
    """A word, `text[start:end]`, with its most likely label and how probable that is."""

    word: str
    start: int
    end: int
    label: str
    score: float


class Entity(NamedTuple):
    """A part of a text, `text[start:end]`, of a type; `score` is the mean of its words."""

    text: str
    start: int
    end: int
    type: str
    score: float


class Tagged(NamedTuple):
    """The words of a text, and the entities among them; none if the labels name none."""

    words: list[TaggedWord]
    entities: list[Entity]


@dataclasses.dataclass(frozen=True)
class Tagging:
    """For the model `token_classifier`. An input is a text, or a list of its words.

    A text is cut into words as the tokenizer cuts it: at white space and around punctuation. A
    model that has learned words such as "U.S." is better given words. Of these offsets count in
    the words joined by single blanks.

    Attributes:
        max_seq_length: the most tokens of a window; a longer text is seen in several.
    """

    name: ClassVar[str] = "tagging"
    max_seq_length: int = 128

    def encode(
        self, inputs: Iterable[str | Sequence[str]], tokenizer: WordPieceTokenizer
    ) -> Encoded:
        """The windows of the inputs. `places` are texts, spans of their words, and their windows'.

        A text has one window at least.
        """
        texts, spans, sentences = [], [], []
        for index, one in enumerate(inputs):
            text, of_words = _words(f"input {index}", one, tokenizer)
            texts.append(text)
            spans.append(of_words)
            sentences.append([text[start:end] for start, end in of_words])
        encoded = encode_sentences(sentences, tokenizer, self.max_seq_length)
        return encoded._replace(places=(texts, spans, encoded.places))

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Tagged]:
        """Of `logits` [T, L]: words and entities of each input."""
        texts, spans, places = encoded.places
        rows = at_words(outputs["logits"], places, logits_without_piece(config.labels))
        return [
            _tagged(*of_text, config.labels) for of_text in zip(texts, spans, rows, strict=True)
        ]


def predicted_labels(
    encoded: Encoded, logits: Sequence[np.ndarray], labels: Sequence[str]
) -> list[list[str]]:
    """A label for each word of encoded sentences, from logits [at least T_i, L] of each window."""
    rows = at_words(logits, encoded.places, logits_without_piece(labels))
    return [[labels[index] for index in of_sentence.argmax(axis=-1)] for of_sentence in rows]


def logits_without_piece(labels: Sequence[str]) -> np.ndarray:
    """Float32 [L] of a word without a piece: its label is sure."""
    logits = np.full(len(labels), -np.inf, np.float32)
    logits[labels.index(label_of_no_piece(labels))] = 0
    return logits


def _words(
    place: str, one: str | Sequence[str], tokenizer: WordPieceTokenizer
) -> tuple[str, list[tuple[int, int]]]:
    """The text of an input, and from where to where each word stands in it."""
    wanted = "a text or a list of words"
    if isinstance(one, tuple | list):
        for word in one:
            check_text(word, place, wanted)
        starts = itertools.accumulate((len(word) + 1 for word in one), initial=0)
        spans = [(start, start + len(word)) for start, word in zip(starts, one, strict=False)]
        return " ".join(one), spans
    check_text(one, place, wanted)
    return one, tokenizer.basic.word_spans(one)


def _tagged(
    text: str, spans: Sequence[tuple[int, int]], logits: np.ndarray, labels: Sequence[str]
) -> Tagged:
    from scipy.special import softmax

    probabilities = softmax(logits.astype(np.float64), axis=-1)
    chosen = logits.argmax(axis=-1)
    scores = probabilities.max(axis=-1, initial=0.0)
    names = [labels[index] for index in chosen]
    words = [
        TaggedWord(text[start:end], start, end, name, float(score))
        for (start, end), name, score in zip(spans, names, scores, strict=True)
    ]
    entities = []
    for name, first, last in entity_spans(names) if are_of_entities(labels) else []:
        start, end = spans[first][0], spans[last][1]
        score = float(np.mean(scores[first : last + 1]))
        entities.append(Entity(text[start:end], start, end, name, score))
    return Tagged(words, entities)
