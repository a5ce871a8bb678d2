"""WordPiece tokenization in plain Python: the readable definition, with google-research/bert's ids.

Text is cleaned, cut at white space and around Chinese characters, lower-cased, stripped of accents
and cut at punctuation (`BasicTokenizer` of the original's tokenization.py); each word is matched
greedily, longest piece first (`WordpieceTokenizer`; Wu et al. 2016, arXiv:1609.08144).
Loads no TensorFlow.
"""

import itertools
import os
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.tokenizers import unicode_14
from bert_keras.tokenizers.vocabulary import (
    CONTINUATION,
    SPECIAL_TOKENS,
    UNKNOWN,
    load_vocabulary,
    require_tokens,
    vocabulary_size,
)

MAX_CHARACTERS_PER_WORD = 200  # a longer word is [UNK]

# Chinese characters, as the original lists them: not Hangul, kana, nor the extensions from F on.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)

# What stands between white space. Six controls that Python takes for white space BERT deletes.
_IN_CHUNK = r"[\S\x0b\x0c\x1c-\x1f\x85]"
_SPECIAL = "|".join(map(re.escape, SPECIAL_TOKENS))
_CHUNK = re.compile(f"{_IN_CHUNK}+")
_CHUNK_OR_SPECIAL_TOKEN = re.compile(f"{_SPECIAL}|(?:(?!{_SPECIAL}){_IN_CHUNK})+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+|[!-~]")

_MAX_CACHED_CHUNKS = 1 << 18
_MAX_CACHED_LENGTH = 64  # longer ones, such as sentences without spaces, hardly come twice


class Token(NamedTuple):
    """A piece and its surface, `text[start:end]`, in characters of the original string."""

    piece: str
    start: int
    end: int


class _Character(NamedTuple):
    """A character on its way to a piece, and the span of the original that it stands for."""

    value: str
    start: int
    end: int


class WordPieceTokenizer:
    """Text -> WordPiece tokens -> ids, and back.

    Args:
        vocab_file: one token a line; see `vocabulary.load_vocabulary`.
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
        vocab_file: str | os.PathLike,
        do_lower_case: bool = True,
        strip_accents: bool | None = None,
        special_tokens_in_text: bool = False,
    ):
        self.vocab = load_vocabulary(vocab_file)
        self.do_lower_case = do_lower_case
        self.strip_accents = do_lower_case if strip_accents is None else strip_accents
        self.special_tokens_in_text = special_tokens_in_text
        if special_tokens_in_text:
            require_tokens(self.vocab, SPECIAL_TOKENS, vocab_file)
        self._chunk = _CHUNK_OR_SPECIAL_TOKEN if special_tokens_in_text else _CHUNK
        self._token_of_id = {index: token for token, index in self.vocab.items()}
        self._longest_piece = max(map(len, self.vocab))
        self._cache: dict[str, list[str]] = {}  # chunk of text -> its pieces

    @property
    def vocab_size(self) -> int:
        """The number of ids, those of blank and repeated lines included."""
        return vocabulary_size(self.vocab)

    def tokenize(self, text: str | bytes) -> list[str]:
        """Splits a text into pieces of the vocabulary. Bytes are read as UTF-8, bad ones dropped.

        Raises:
            InputError: the text is neither `str` nor `bytes`.
        """
        pieces: list[str] = []
        for chunk in self._chunk.findall(decode(text)):
            known = self._cache.get(chunk)
            pieces += self._learn(chunk) if known is None else known
        return pieces

    def tokenize_with_offsets(self, text: str | bytes) -> list[Token]:
        """The pieces of `tokenize`, each with its span in the text as it came (bytes: as decoded).

        A stripped accent belongs to the span of the letter before it. Pieces of one character of
        the text (a Hangul syllable, decomposed) share its span. [UNK] spans its whole word.
        """
        return [
            Token(token.piece, match.start() + token.start, match.start() + token.end)
            for match in self._chunk.finditer(decode(text))
            for token in self._tokenize_chunk(match.group())
        ]

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

    def _learn(self, chunk: str) -> list[str]:
        if chunk.isascii() and chunk.isprintable() and chunk not in SPECIAL_TOKENS:
            pieces = self._tokenize_ascii(chunk)
        else:
            pieces = [token.piece for token in self._tokenize_chunk(chunk)]
        if len(chunk) <= _MAX_CACHED_LENGTH:
            if len(self._cache) >= _MAX_CACHED_CHUNKS:
                self._cache.clear()
            self._cache[chunk] = pieces
        return pieces

    def _tokenize_ascii(self, chunk: str) -> list[str]:
        """The pieces of `_tokenize_chunk`, three times as fast: of its steps ASCII needs two."""
        text = chunk.lower() if self.do_lower_case else chunk
        return [
            piece
            for word in _ASCII_WORD.findall(text)
            for piece, _, _ in self._match_longest_first(word)
        ]

    def _tokenize_chunk(self, chunk: str) -> list[Token]:
        """Tokens of a text without white space, with spans from the chunk's start."""
        if self.special_tokens_in_text and chunk in SPECIAL_TOKENS:
            return [Token(chunk, 0, len(chunk))]
        tokens = []
        for word in self._split_into_words(chunk):
            for piece, first, end in self._match_longest_first("".join(c.value for c in word)):
                span = word[first:end]  # marks may have changed places: the first need not start it
                start, stop = min(c.start for c in span), max(c.end for c in span)
                tokens.append(Token(piece, start, stop))
        return tokens

    def _split_into_words(self, chunk: str) -> list[list[_Character]]:
        """Words as the vocabulary has them: `BasicTokenizer.tokenize` of the original."""
        characters = [
            _Character(value, index, index + 1)
            for index, value in enumerate(chunk)
            if not is_deleted(value)
        ]
        words = []
        for part in _isolate(characters, is_ideograph):
            if self.do_lower_case:
                part = _lower(part)
            if self.strip_accents and not chunk.isascii():
                part = _strip_accents(part)
            words += _isolate(part, is_punctuation)
        return words

    def _match_longest_first(self, word: str) -> list[tuple[str, int, int]]:
        """Pieces of a word and their spans in it: `WordpieceTokenizer.tokenize` of the original."""
        unknown = [(UNKNOWN, 0, len(word))]
        if len(word) > MAX_CHARACTERS_PER_WORD:
            return unknown
        pieces = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION if start else ""
            for end in range(min(len(word), start + self._longest_piece), start, -1):
                piece = prefix + word[start:end]
                if piece in self.vocab:
                    break
            else:
                return unknown
            pieces.append((piece, start, end))
            start = end
        return pieces


def decode(text: str | bytes) -> str:
    """`convert_to_unicode` of the original: bytes are read as UTF-8, bad ones dropped."""
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "ignore")
    raise InputError(
        f"Text must be str or UTF-8 bytes; drop or fill empty cells of a table first. "
        f"Received: {text!r} of type {type(text).__name__}."
    )


def is_deleted(character: str) -> bool:
    """Whether cleaning removes it: control and format characters, but not line ends and tabs."""
    if character in "\t\n\r":
        return False
    return character in "\x00\ufffd" or unicode_14.category(character) in ("Cc", "Cf")


def is_ideograph(character: str) -> bool:
    """Whether it is Chinese, so that it is a word by itself."""
    code = ord(character)
    return code >= 0x3400 and any(first <= code <= last for first, last in IDEOGRAPHS)


def is_punctuation(character: str) -> bool:
    """Whether it is a word by itself: punctuation, and all ASCII has besides letters and digits."""
    if "!" <= character <= "~":
        return not character.isalnum()
    return unicode_14.category(character).startswith("P")


def is_accent(character: str) -> bool:
    """Whether stripping accents removes it: any mark that takes no space of its own."""
    return unicode_14.category(character) == "Mn"


def _isolate(characters: list[_Character], alone: Callable[[str], bool]) -> list[list[_Character]]:
    """Cuts before and after every character that stands alone."""
    words: list[list[_Character]] = []
    starts_word = True
    for character in characters:
        stands_alone = alone(character.value)
        if starts_word or stands_alone:
            words.append([])
        words[-1].append(character)
        starts_word = stands_alone
    return words


def _lower(characters: list[_Character]) -> list[_Character]:
    """Lower-cases the whole, for the final sigma's sake; a letter may become two (İ)."""
    lowered = unicode_14.lower("".join(character.value for character in characters))
    if len(lowered) > len(characters):
        characters = [c for c in characters for _ in unicode_14.lower(c.value)]
    return [_Character(value, c.start, c.end) for value, c in zip(lowered, characters, strict=True)]


def _strip_accents(characters: list[_Character]) -> list[_Character]:
    """Decomposes (NFD) and drops the marks, which lengthen the span of the letter before them."""
    kept: list[_Character] = []
    for value, start, end in _decompose(characters):
        if not is_accent(value):
            kept.append(_Character(value, start, end))
        elif kept:
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, end))
    return kept


def _decompose(characters: list[_Character]) -> list[_Character]:
    """NFD that keeps the spans: each character decomposed, each run of marks sorted by class."""
    decomposed = [
        _Character(value, start, end)
        for character, start, end in characters
        for value in unicode_14.decompose(character)
    ]
    ordered: list[_Character] = []
    for _, run in itertools.groupby(decomposed, lambda c: _combining_class(c) > 0):
        ordered += sorted(run, key=_combining_class)
    return ordered


def _combining_class(character: _Character) -> int:
    return unicode_14.combining_class(character.value)
