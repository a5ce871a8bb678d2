"""Texts, and a vector for each of their tokens."""

import dataclasses
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import Outputs
from bert_keras.tasks.sequences import encode_texts
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class TokenVectors(NamedTuple):
    """The T tokens of an input, [CLS] and [SEP] among them, and their vectors, float32 [T, H]."""

    tokens: list[str]
    features: np.ndarray


@dataclasses.dataclass(frozen=True)
class Features:
    """For the model `unpooled_bert`. An input is a text, or a pair of texts (a tuple).

    Attributes:
        max_seq_length: the most tokens of an example, [CLS] and [SEP] included; others are cut.
    """

    name: ClassVar[str] = "features"
    max_seq_length: int = 128

    def encode(
        self, inputs: Iterable[str | tuple[str, str]], tokenizer: WordPieceTokenizer
    ) -> Encoded:
        """An example for each input; `places` are their tokens."""
        encoded = encode_texts(inputs, tokenizer, self.max_seq_length)
        ids = encoded.examples.tokens["input_ids"]
        return encoded._replace(places=[tokenizer.convert_ids_to_tokens(row) for row in ids])

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[TokenVectors]:
        """Of `sequence_output` [at least T, H]: the rows of the tokens."""
        rows = zip(encoded.places, outputs["sequence_output"], strict=True)
        return [TokenVectors(tokens, vectors[: len(tokens)]) for tokens, vectors in rows]
