"""Texts, or pairs of texts, to be classified: `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import Outputs
from bert_keras.errors import InputError
from bert_keras.tasks.classification.kinds import kind_of
from bert_keras.tasks.sequences import encode_texts
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


@dataclasses.dataclass(frozen=True)
class Classification:
    """For the model `classifier`. An input is a text, or a pair of texts (a tuple).

    Attributes:
        max_seq_length: the most tokens of an example, [CLS] and [SEP] included; longer texts are
            cut, of a pair the longer one first.
        is_pair: whether the model has learned pairs; it then takes nothing else.
    """

    name: ClassVar[str] = "classification"
    max_seq_length: int = 128
    is_pair: bool = False

    def encode(
        self, inputs: Iterable[str | tuple[str, str]], tokenizer: WordPieceTokenizer
    ) -> Encoded:
        """An example for each input.

        Raises:
            InputError: one is something else, or one text where the model has learned pairs.
        """
        if self.is_pair:
            inputs = [*inputs]
            _check_pairs(inputs)
        return encode_texts(inputs, tokenizer, self.max_seq_length)

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Any]:
        """Of `logits` [L]: a `Label`, `Labels` or `Score`, as the labels of the model are meant."""
        logits = np.reshape(outputs["logits"], [-1, len(config.labels)])
        return kind_of(config).decode(logits, config.labels)


def _check_pairs(inputs: Sequence[Any]) -> None:
    for index, one in enumerate(inputs):
        if isinstance(one, str):
            raise InputError(
                f"input {index} must be a pair of texts, (a, b), as the model has learned them; b "
                f"may be empty. Received: {one!r:.100}"
            )
