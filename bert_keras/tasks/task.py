"""What a task is: the text before the model, and the answers after it. It knows no model."""

import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple, Protocol

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Encoded(NamedTuple):
    """Inputs of a task as examples of a model.

    Attributes:
        examples: what the model is run on; an input may have several, or none.
        places: where in them the inputs are; what is needed to come back.
        num_cut: how many sequences were cut, as they did not fit.
    """

    examples: EncodedExamples
    places: Any = None
    num_cut: int = 0


class Task(Protocol):
    """One kind of questions that a model answers.

    Implemented by a frozen dataclass in each room; its fields are what has to be known beside
    config and vocabulary.
    """

    name: ClassVar[str]
    max_seq_length: int

    def encode(self, inputs: Iterable[Any], tokenizer: WordPieceTokenizer) -> Encoded:
        """The examples of inputs, which are taken one after the other.

        Raises:
            InputError: one is not of the task's form.
        """

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Any]:
        """An answer to each input, in their order, from what a model made of their examples."""


def description(task: Task) -> dict[str, Any]:
    """A task as it is stored beside the weights of a model: its name and its fields."""
    return {"task": task.name} | dataclasses.asdict(task)
