"""WordPiece tokenization in plain Python: the readable definition, with google-research/bert's ids.

Text is split into words (`basic`); each word is matched greedily, longest piece first
(`WordpieceTokenizer` of the original's tokenization.py; Wu et al. 2016, arXiv:1609.08144).
Loads no TensorFlow.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.tokenizers.basic import CHUNK, IN_CHUNK, BasicTokenizer, chunks, decode
from bert_keras.tokenizers.vocabulary import (
    CONTINUATION,
    SPECIAL_TOKENS,
    UNKNOWN,
    read_vocabulary,
    require_tokens,
    source_name,
    vocabulary_size,
)

MAX_CHARACTERS_PER_WORD = 200  # a longer word is [UNK]

_SPECIAL = "|".join(map(re.escape, SPECIAL_TOKENS))
_CHUNK_OR_SPECIAL_TOKEN = re.compile(f"{_SPECIAL}|(?:(?!{_SPECIAL}){IN_CHUNK})+")

_MAX_CACHED = 1 << 17  # chunks, and words, that are remembered
_MAX_CACHED_LENGTH = 64  # longer ones, such as sentences without spaces, hardly come twice


class Token(NamedTuple):
    """A piece and its surface, `text[start:end]`, in characters of the original string."""

    piece: str
    start: int
    end: int


class WordPieceTokenizer:
    """Text -> WordPiece tokens -> ids, and back.

    Args:
        vocab_file: one token a line, see `vocabulary.load_vocabulary`; or the dict that it stands
            for, token -> id.
        do_lower_case: lower-case the text, as uncased models need.
        strip_accents: remove combining marks (é -> e); `None` follows `do_lower_case`, as the
            original does.
        special_tokens_in_text: take [MASK], [SEP] and so on, typed exactly so, for the special
            tokens. Leave it off for text of strangers: it lets them set separators.

    Raises:
        InputError: the vocabulary cannot be used.
    """

    def __init__(
        self,
        vocab_file: str | os.PathLike | Mapping[str, int],
        do_lower_case: bool = True,
        strip_accents: bool | None = None,
        special_tokens_in_text: bool = False,
    ):
        self.vocab = read_vocabulary(vocab_file)
        self.basic = BasicTokenizer(do_lower_case, strip_accents)
        self.special_tokens_in_text = special_tokens_in_text
        if special_tokens_in_text:
            require_tokens(self.vocab, SPECIAL_TOKENS, source_name(vocab_file))
        self._chunk = _CHUNK_OR_SPECIAL_TOKEN if special_tokens_in_text else CHUNK
        self._token_of_id = {index: token for token, index in self.vocab.items()}
        self._longest_match = LongestMatch(self.vocab)
        self._pieces_of_chunk: dict[str, list[str]] = {}
        self._pieces_of_word: dict[str, list[str]] = {}
        self._tokens_of_chunk: dict[str, list[Token]] = {}

    @property
    def do_lower_case(self) -> bool:
        return self.basic.do_lower_case

    @property
    def strip_accents(self) -> bool:
        return self.basic.strip_accents

    @property
    def vocab_size(self) -> int:
        """The number of ids, those of blank and repeated lines included."""
        return vocabulary_size(self.vocab)

    def tokenize(self, text: str | bytes) -> list[str]:
        """Splits a text into pieces of the vocabulary. Bytes are read as UTF-8, bad ones dropped.

        Raises:
            InputError: the text is neither `str` nor `bytes`.
        """
        text = decode(text)
        pieces: list[str] = []
        for chunk in self._chunk.findall(text) if self.special_tokens_in_text else chunks(text):
            known = self._pieces_of_chunk.get(chunk)
            if known is None:
                known = self._tokenize_chunk(chunk)
                _remember(self._pieces_of_chunk, chunk, known)
            pieces += known
        return pieces

    def tokenize_word(self, word: str) -> list[str]:
        """Pieces of a word as `BasicTokenizer` gives them. Nothing is remembered."""
        return [piece for piece, _, _ in self._longest_match.pieces(word)]

    def tokenize_with_offsets(self, text: str | bytes) -> list[Token]:
        """The pieces of `tokenize`, each with its span in the text as it came (bytes: as decoded).

        A stripped accent belongs to the span of the letter before it. Pieces of one character of
        the text (a Hangul syllable, decomposed) share its span. [UNK] spans its whole word.
        """
        tokens: list[Token] = []
        for match in self._chunk.finditer(decode(text)):
            chunk, shift = match.group(), match.start()
            known = self._tokens_of_chunk.get(chunk)
            if known is None:
                known = self._tokenize_chunk_with_spans(chunk)
                _remember(self._tokens_of_chunk, chunk, known)
            tokens += [Token(piece, start + shift, end + shift) for piece, start, end in known]
        return tokens

    def convert_tokens_to_ids(self, tokens: Iterable[str]) -> list[int]:
        """Raises InputError for a token that is not in the vocabulary."""
        try:
            return [self.vocab[token] for token in tokens]
        except KeyError as error:
            raise InputError(
                f"Only tokens of the vocabulary have an id; text goes through tokenize() first. "
                f"Received: {error.args[0]!r}."
            ) from None

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """Raises InputError for an id out of range, or of a line that a later one repeats."""
        try:
            return [self._token_of_id[int(index)] for index in ids]
        except KeyError as error:
            raise InputError(
                f"Ids with a token lie in 0 to {self.vocab_size - 1}, without those of lines that "
                f"a later one repeats. Received: {error.args[0]}."
            ) from None

    def _tokenize_chunk(self, chunk: str) -> list[str]:
        """Pieces of a text without white space."""
        if self.special_tokens_in_text and chunk in SPECIAL_TOKENS:
            return [chunk]
        pieces: list[str] = []
        for word in self.basic.split_chunk(chunk):
            known = self._pieces_of_word.get(word)
            if known is None:
                known = self.tokenize_word(word)
                _remember(self._pieces_of_word, word, known)
            pieces += known
        return pieces

    def _tokenize_chunk_with_spans(self, chunk: str) -> list[Token]:
        """Tokens of a text without white space, with spans from the chunk's start."""
        if self.special_tokens_in_text and chunk in SPECIAL_TOKENS:
            return [Token(chunk, 0, len(chunk))]
        tokens = []
        for word in self.basic.split_chunk_with_spans(chunk):
            for piece, first, end in self._longest_match.pieces("".join(c.value for c in word)):
                span = word[first:end]  # marks may have changed places: the first need not start it
                start, stop = min(c.start for c in span), max(c.end for c in span)
                tokens.append(Token(piece, start, stop))
        return tokens


class LongestMatch:
    """Word -> pieces of a vocabulary, longest piece first: `WordpieceTokenizer` of the original."""

    def __init__(self, vocab: Collection[str]):
        suffixes = {
            token.removeprefix(CONTINUATION) for token in vocab if token.startswith(CONTINUATION)
        }
        self._vocab = vocab
        self._longest_token = max(map(len, vocab))
        self._suffixes = suffixes  # of a word, without the mark of a continuation
        self._longest_suffix = max(map(len, suffixes), default=0)

    def pieces(self, word: str) -> list[tuple[str, int, int]]:
        """Pieces of a word and their spans in it; [UNK] alone if it cannot be made of pieces."""
        if len(word) > MAX_CHARACTERS_PER_WORD:
            return [(UNKNOWN, 0, len(word))]
        pieces = []
        known, longest, prefix = self._vocab, self._longest_token, ""
        start = 0
        while start < len(word):
            end = min(len(word), start + longest)
            while end > start and word[start:end] not in known:
                end -= 1
            if end == start:
                return [(UNKNOWN, 0, len(word))]
            pieces.append((prefix + word[start:end], start, end))
            known, longest, prefix = self._suffixes, self._longest_suffix, CONTINUATION
            start = end
        return pieces


def _remember(known: dict[str, list], text: str, pieces: list) -> None:
    if len(text) <= _MAX_CACHED_LENGTH:
        if len(known) >= _MAX_CACHED:
            known.clear()
        known[text] = pieces
