"""A context as words, as the original splits it, and as word pieces, made once for all questions.

Words stand between the original's five white-space characters. The tokenizer too cuts at each of
them, so the pieces of a text are those of its words.
"""

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterator

import numpy as np

from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

_WORD = re.compile("[^ \t\r\n\u202f]+")
_LONGEST_REMEMBERED = 64  # characters; longer words, such as a line of Chinese, hardly come twice


@dataclasses.dataclass(frozen=True, eq=False)
class EncodedContext:
    """A context of W words and P pieces.

    Attributes:
        text: as the file has it.
        word_starts: where each word starts, in characters, int64 [W].
        ids: its pieces, int32 [P].
        word_of_piece: int64 [P].
        tokenizer: what made the pieces.
    """

    text: str
    word_starts: np.ndarray
    ids: np.ndarray
    word_of_piece: np.ndarray
    tokenizer: WordPieceTokenizer

    def word_at(self, character: int) -> int:
        """The word that a character is part of, or the one before the space that it is."""
        return max(0, int(self.word_starts.searchsorted(character, side="right")) - 1)

    def text_of_words(self, first: int, last: int) -> str:
        """The text from the start of a word to that of the word after `last`, as it stands."""
        end = self.word_starts[last + 1] if last + 1 < len(self.word_starts) else None
        return self.text[self.word_starts[first] : end]

    def words(self, first: int, last: int) -> list[str]:
        """The words of a range, both ends in it."""
        return _WORD.findall(self.text_of_words(first, last))

    def pieces_of_words(self, first: int, last: int) -> tuple[int, int]:
        """The first piece of a range of words and the last; that comes before it if there is none.

        `orig_to_tok_index` of the original.
        """
        start = self.word_of_piece.searchsorted(first, side="left")
        end = self.word_of_piece.searchsorted(last, side="right")
        return int(start), int(end) - 1

    def offsets(self, first: int, last: int) -> tuple[int, int]:
        """Where in the text the pieces from `first` to `last` stand, in characters."""
        starts, ends = self._piece_offsets[first : last + 1].T
        return int(starts.min()), int(ends.max())

    @functools.cached_property
    def _piece_offsets(self) -> np.ndarray:
        """Start and end of each piece, int32 [P, 2]: only answers need them."""
        tokens = self.tokenizer.tokenize_with_offsets(self.text)
        offsets = [(token.start, token.end) for token in tokens]
        return np.array(offsets, np.int32).reshape(-1, 2)


class Encoder:
    """Text -> ids of its pieces, remembering words. The tokenizer's vocabulary must have [UNK]."""

    def __init__(self, tokenizer: WordPieceTokenizer):
        self._tokenizer = tokenizer
        self._ids_of_word = _IdsOfWord(tokenizer)

    def ids(self, text: str) -> list[int]:
        """The ids of a text."""
        return [*itertools.chain.from_iterable(self._ids_of_words(text))]

    def context(self, text: str) -> EncodedContext:
        """A text as words and pieces."""
        starts = [match.start() for match in _WORD.finditer(text)]
        ids_of_words = [*self._ids_of_words(text)]
        counts = [*map(len, ids_of_words)]
        ids = np.fromiter(itertools.chain.from_iterable(ids_of_words), np.int32, sum(counts))
        word_of_piece = np.repeat(np.arange(len(counts)), counts)
        word_starts = np.array(starts, np.int64)
        return EncodedContext(text, word_starts, ids, word_of_piece, self._tokenizer)

    def _ids_of_words(self, text: str) -> Iterator[list[int]]:
        return map(self._ids_of_word.__getitem__, _WORD.findall(text))


class _IdsOfWord(dict):
    """Word -> ids of its pieces, found when it first comes."""

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> list[int]:
        ids = self._tokenizer.convert_tokens_to_ids(self._tokenizer.tokenize(word))
        if len(word) <= _LONGEST_REMEMBERED:
            self[word] = ids
        return ids
