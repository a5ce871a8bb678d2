"""A sequence for each choice, `[CLS] context [SEP] continuation [SEP]`, and which is right."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import INPUTS, EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.tasks.multiple_choice.scoring import probabilities
from bert_keras.tasks.sequences import EncodedSequence, check_text, encode_pair
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

ChoiceInput = tuple[str, Sequence[str]]  # a context and its continuations


class Choice(NamedTuple):
    """The most probable continuation, from 0, and the probability of each."""

    choice: int
    probabilities: list[float]


@dataclasses.dataclass(frozen=True)
class MultipleChoice:
    """For the model `multiple_choice`. An input is a context and its continuations.

    Attributes:
        max_seq_length: the most tokens of a sequence; of one that is longer the longer text is cut.
    """

    name: ClassVar[str] = "multiple_choice"
    max_seq_length: int = 128

    def encode(self, inputs: Iterable[ChoiceInput], tokenizer: WordPieceTokenizer) -> Encoded:
        """An example [C, T] for each input; `places` are the numbers of their choices.

        T is the length of its longest sequence. C is the largest number of choices of any input:
        one with fewer has zeros for the others, and an `input_mask` of zeros alone is what says
        that a choice is missing.
        """
        sequences = [
            self._sequences(f"input {index}", one, tokenizer) for index, one in enumerate(inputs)
        ]
        nums_choices = [len(of_input) for of_input in sequences]
        arrays = [_arrays(of_input, max(nums_choices)) for of_input in sequences]
        tokens = {name: [of_input[name] for of_input in arrays] for name in INPUTS}
        num_cut = sum(sequence.is_cut for of_input in sequences for sequence in of_input)
        return Encoded(EncodedExamples(tokens, {}), nums_choices, num_cut)

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Choice]:
        """Of `logits` [C]: the choice with the largest one."""
        return [
            Choice(int(np.argmax(row)), row.tolist())
            for row in probabilities(encoded.places, outputs["logits"])
        ]

    def _sequences(self, place, one, tokenizer) -> list[EncodedSequence]:
        context, continuations = _checked(place, one)
        pieces = tokenizer.tokenize(context)
        return [
            encode_pair(pieces, tokenizer.tokenize(text), tokenizer, self.max_seq_length)
            for text in continuations
        ]


def _checked(place: str, one: ChoiceInput) -> ChoiceInput:
    is_pair = isinstance(one, tuple) and len(one) == 2
    if not is_pair or not isinstance(one[1], tuple | list) or not one[1]:
        raise InputError(
            f"{place} must be a pair, (text, list of its continuations). Received: {one!r:.100}"
        )
    for text in (one[0], *one[1]):
        check_text(text, place, "a text and a list of its continuations")
    return one


def _arrays(sequences: Sequence[EncodedSequence], num_choices: int) -> dict[str, np.ndarray]:
    """The sequences of one example: name -> int32 [C, T]."""
    length = max(len(sequence.ids) for sequence in sequences)
    ids, mask, segments = np.zeros([3, num_choices, length], np.int32)
    for choice, sequence in enumerate(sequences):
        ids[choice, : len(sequence.ids)] = sequence.ids
        mask[choice, : len(sequence.ids)] = 1
        segments[choice, : len(sequence.ids)] = sequence.segment_ids
    return dict(zip(INPUTS, (ids, mask, segments), strict=True))
