"""Text -> words, as the vocabulary sees them: `BasicTokenizer` of google-research/bert.

Text is cleaned, cut at white space and around Chinese characters, lower-cased, stripped of accents
and cut at punctuation. Loads no TensorFlow.
"""

import itertools
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.tokenizers import unicode_14

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

# What stands between white space. Some controls that Python takes for white space BERT deletes.
_DELETED_SPACE = r"\x0b\x0c\x1c-\x1f\x85"
IN_CHUNK = rf"[\S{_DELETED_SPACE}]"
CHUNK = re.compile(f"{IN_CHUNK}+")
_HAS_DELETED_SPACE = re.compile(f"[{_DELETED_SPACE}]").search
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+|[!-~]")


class Character(NamedTuple):
    """A character on its way to a piece, and the span of the original that it stands for."""

    value: str
    start: int
    end: int


class BasicTokenizer:
    """Text -> words.

    Args:
        do_lower_case: lower-case the text, as uncased models need.
        strip_accents: remove combining marks (é -> e); `None` follows `do_lower_case`, as the
            original does.
    """

    def __init__(self, do_lower_case: bool = True, strip_accents: bool | None = None):
        self.do_lower_case = do_lower_case
        self.strip_accents = do_lower_case if strip_accents is None else strip_accents

    def split(self, text: str | bytes) -> list[str]:
        """Words of a text. Bytes are read as UTF-8, bad ones dropped.

        Raises:
            InputError: the text is neither `str` nor `bytes`.
        """
        return [word for chunk in chunks(decode(text)) for word in self.split_chunk(chunk)]

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Where the words of `split` stand: `text[start:end]`, in characters."""
        spans = []
        for match in CHUNK.finditer(text):
            chunk, shift = match.group(), match.start()
            for start, end in self._word_spans_of_chunk(chunk):
                spans.append((start + shift, end + shift))
        return spans

    def split_chunk(self, chunk: str) -> list[str]:
        """Words of a text without white space: those of `split_chunk_with_spans`, much faster."""
        if chunk.isascii() and chunk.isprintable():  # needs two of the steps
            return _ASCII_WORD.findall(chunk.lower() if self.do_lower_case else chunk)
        if not all(map(unicode_14.is_assigned, chunk)):  # what Python does to them depends on it
            return ["".join(c.value for c in word) for word in self.split_chunk_with_spans(chunk)]
        text = chunk.translate(_CLEAN)
        if self.do_lower_case:
            text = text.lower()
        if self.strip_accents:
            text = unicodedata.normalize("NFD", text).translate(_STRIP_ACCENTS)
        return text.translate(_CUT_AT_PUNCTUATION).split()

    def split_chunk_with_spans(self, chunk: str) -> list[list[Character]]:
        """The words of `split_chunk`, each character with its span from the chunk's start."""
        characters = [
            Character(value, index, index + 1)
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

    def _word_spans_of_chunk(self, chunk: str) -> list[tuple[int, int]]:
        if chunk.isascii() and chunk.isprintable():
            return [match.span() for match in _ASCII_WORD.finditer(chunk)]
        words = self.split_chunk_with_spans(chunk)
        return [(min(c.start for c in word), max(c.end for c in word)) for word in words]


def chunks(text: str) -> list[str]:
    """What stands between the white space of a text."""
    return CHUNK.findall(text) if _HAS_DELETED_SPACE(text) else text.split()  # thrice as fast


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


class _Translation(dict):
    """Table for `str.translate` that asks what becomes of a character when it first comes."""

    def __init__(self, translate: Callable[[str], str]):
        super().__init__()
        self._translate = translate

    def __missing__(self, code: int) -> str:
        self[code] = self._translate(chr(code))
        return self[code]


def _clean(character: str) -> str:
    if is_deleted(character):
        return ""
    return f" {character} " if is_ideograph(character) else character


def _strip_accent(character: str) -> str:
    return "" if is_accent(character) else character


def _cut_at_punctuation(character: str) -> str:
    return f" {character} " if is_punctuation(character) else character


_CLEAN = _Translation(_clean)
_STRIP_ACCENTS = _Translation(_strip_accent)
_CUT_AT_PUNCTUATION = _Translation(_cut_at_punctuation)


def _isolate(characters: list[Character], alone: Callable[[str], bool]) -> list[list[Character]]:
    """Cuts before and after every character that stands alone."""
    words: list[list[Character]] = []
    starts_word = True
    for character in characters:
        stands_alone = alone(character.value)
        if starts_word or stands_alone:
            words.append([])
        words[-1].append(character)
        starts_word = stands_alone
    return words


def _lower(characters: list[Character]) -> list[Character]:
    """Lower-cases the whole, for the final sigma's sake; a letter may become two (İ)."""
    lowered = unicode_14.lower("".join(character.value for character in characters))
    if len(lowered) > len(characters):
        characters = [c for c in characters for _ in unicode_14.lower(c.value)]
    return [Character(value, c.start, c.end) for value, c in zip(lowered, characters, strict=True)]


def _strip_accents(characters: list[Character]) -> list[Character]:
    """Decomposes (NFD) and drops the marks, which lengthen the span of the letter before them."""
    kept: list[Character] = []
    for value, start, end in _decompose(characters):
        if not is_accent(value):
            kept.append(Character(value, start, end))
        elif kept:
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, end))
    return kept


def _decompose(characters: list[Character]) -> list[Character]:
    """NFD that keeps the spans: each character decomposed, each run of marks sorted by class."""
    decomposed = [
        Character(value, start, end)
        for character, start, end in characters
        for value in unicode_14.decompose(character)
    ]
    ordered: list[Character] = []
    for _, run in itertools.groupby(decomposed, lambda c: _combining_class(c) > 0):
        ordered += sorted(run, key=_combining_class)
    return ordered


def _combining_class(character: Character) -> int:
    return unicode_14.combining_class(character.value)
