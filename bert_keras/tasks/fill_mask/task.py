"""Texts with the mark [MASK], and the likeliest word pieces for each of them."""

import dataclasses
import itertools
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.tasks.sequences import check_text, encode_pair
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.vocabulary import MASK
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Candidate(NamedTuple):
    """A piece of the vocabulary, its id, and how probable it is."""

    token: str
    id: int
    score: float


class Filled(NamedTuple):
    """For each [MASK] of a text, in their order, the likeliest pieces, best first."""

    masks: list[list[Candidate]]


@dataclasses.dataclass(frozen=True)
class FillMask:
    """For the models `masked_lm` and `pretrainer`. An input is a text with [MASK] in it.

    The mark counts wherever it stands, in these letters; other special tokens are text.

    Attributes:
        max_seq_length: the most tokens of an example; a mark beyond them is not filled.
        top_k: how many pieces are named for each mark.
    """

    name: ClassVar[str] = "fill_mask"
    max_seq_length: int = 128
    top_k: int = 5

    def encode(self, inputs: Iterable[str], tokenizer: WordPieceTokenizer) -> Encoded:
        """An example for each text. `places` are the numbers of their marks, and the tokenizer."""
        sequences, positions = [], []
        [mask_id] = tokenizer.convert_tokens_to_ids([MASK])
        for index, text in enumerate(inputs):
            check_text(text, f"input {index}", f"a text, with {MASK} where a word is sought")
            sequence = encode_pair(_pieces(text, tokenizer), [], tokenizer, self.max_seq_length)
            sequences.append(sequence)
            positions.append(np.flatnonzero(sequence.ids == mask_id))
        num_marks = [len(of_text) for of_text in positions]
        table = np.zeros([len(positions), max([1, *num_marks])], np.int32)
        for row, of_text in zip(table, positions, strict=True):
            row[: len(of_text)] = of_text
        examples = EncodedExamples.of_sequences(
            [sequence.ids for sequence in sequences], values={"masked_lm_positions": table}
        )
        num_cut = sum(sequence.is_cut for sequence in sequences)
        return Encoded(examples, (num_marks, tokenizer), num_cut)

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[Filled]:
        """Of `masked_lm_logits` [P, V]: the candidates for each mark."""
        num_marks, tokenizer = encoded.places
        size = tokenizer.vocab_size  # the table of the model may have rows of no token
        return [
            Filled([self._candidates(row[:size], tokenizer) for row in logits[:num]])
            for num, logits in zip(num_marks, outputs["masked_lm_logits"], strict=True)
        ]

    def _candidates(self, logits: np.ndarray, tokenizer: WordPieceTokenizer) -> list[Candidate]:
        from scipy.special import softmax

        probabilities = softmax(logits.astype(np.float64))
        best = np.argsort(-logits, kind="stable")[: self.top_k].tolist()
        tokens = tokenizer.convert_ids_to_tokens(best)
        scores = probabilities[best].tolist()
        return [*map(Candidate, tokens, best, scores)]


def _pieces(text: str, tokenizer: WordPieceTokenizer) -> list[str]:
    parts = [tokenizer.tokenize(part) for part in text.split(MASK)]
    marked = ((MASK, *part) for part in parts[1:])
    return [*itertools.chain(parts[0], *marked)]
