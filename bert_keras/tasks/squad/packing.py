"""Windows as inputs of a model: [CLS] question [SEP] window of the context [SEP].

The second half of `convert_examples_to_features` of `run_squad.py` of google-research/bert.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.tasks.squad.contexts import EncodedContext
from bert_keras.tasks.windows import Window, windows
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

NUM_SPECIAL_TOKENS = 3  # [CLS], [SEP], [SEP]


class WindowSizes(NamedTuple):
    """What bounds a window, in pieces: the flags of these names.

    `max_seq_length` exceeds `max_query_length` by more than the special tokens, so that a window
    shows at least one piece of its context.
    """

    max_seq_length: int
    doc_stride: int
    max_query_length: int


class PlacedWindow(NamedTuple):
    """A window of the context of a question, whose pieces begin at position `offset`."""

    question: int
    window: Window
    offset: int


class Packer:
    """Collects windows as examples. The segments of all of them are slices of one array."""

    def __init__(self, tokenizer: WordPieceTokenizer, sizes: WindowSizes):
        self._sizes = sizes
        self._cls, self._sep = tokenizer.convert_tokens_to_ids([CLASSIFICATION, SEPARATOR])
        self._end = np.array([self._sep], np.int32)
        self._zeros_and_ones = np.repeat(np.array([0, 1], np.int32), sizes.max_seq_length)
        self._zeros_and_ones.flags.writeable = False
        self._input_ids: list[np.ndarray] = []
        self._segment_ids: list[np.ndarray] = []

    def pack(
        self, question: int, question_ids: list[int], context: EncodedContext
    ) -> Iterator[tuple[PlacedWindow, np.ndarray]]:
        """Yields each window of a question with its ids, int32 [T], to be added or not."""
        question_ids = question_ids[: self._sizes.max_query_length]
        head = np.array([self._cls, *question_ids, self._sep], np.int32)
        room = self._sizes.max_seq_length - len(question_ids) - NUM_SPECIAL_TOKENS
        for window in windows(len(context.ids), room, self._sizes.doc_stride):
            pieces = context.ids[window.start : window.start + window.length]
            yield (
                PlacedWindow(question, window, len(head)),
                np.concatenate((head, pieces, self._end)),
            )

    def add(self, placed: PlacedWindow, input_ids: np.ndarray) -> None:
        """Takes a window for an example."""
        self._input_ids.append(input_ids)
        begin = self._sizes.max_seq_length - placed.offset  # the question's segment is 0
        self._segment_ids.append(self._zeros_and_ones[begin : begin + len(input_ids)])

    def examples(self, values: dict[str, np.ndarray]) -> EncodedExamples:
        """All examples that were added."""
        return EncodedExamples.of_sequences(self._input_ids, self._segment_ids, values)
