"""Texts, and one vector for each."""

import dataclasses
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import Outputs
from bert_keras.tasks.sequences import encode_texts
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Vector(NamedTuple):
    """The vector of a text, float32 [H]."""

    embedding: np.ndarray


@dataclasses.dataclass(frozen=True)
class Embedding:
    """For the model `sentence_encoder`. An input is a text, or a pair of texts (a tuple).

    Attributes:
        max_seq_length: the most tokens of an example, [CLS] and [SEP] included; others are cut.
    """

    name: ClassVar[str] = "embedding"
    max_seq_length: int = 128

    def encode(
        self, inputs: Iterable[str | tuple[str, str]], tokenizer: WordPieceTokenizer
    ) -> Encoded:
        """An example for each input."""
        return encode_texts(inputs, tokenizer, self.max_seq_length)

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Vector]:
        """Of `sentence_embedding` [H]: itself."""
        return [*map(Vector, outputs["sentence_embedding"])]
