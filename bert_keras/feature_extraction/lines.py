"""Lines of text as sequences: `text`, or `text a ||| text b` (`read_examples` of the original)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.files import named_errors, open_bytes
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

_BETWEEN_TEXTS = " ||| "


class Line(NamedTuple):
    """One line of the input.

    Attributes:
        index: which line, from 0.
        tokens: T pieces, [CLS] and [SEP] among them.
        segment_ids: T numbers, 1 for those of text b.
    """

    index: int
    tokens: list[str]
    segment_ids: list[int]


def count_lines(path: str) -> int:
    """The number of lines; raises InputError, which names the line, if one is not UTF-8."""
    num_lines = 0
    for line in _lines(path):
        num_lines += 1
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"Text must be UTF-8; {path}, line {num_lines}, holds the byte "
                f"0x{line[error.start]:02x}. Convert the file, for instance with iconv."
            ) from error
    return num_lines


def read_lines(path: str, tokenizer: WordPieceTokenizer, max_seq_length: int) -> Iterator[Line]:
    """Yields every line, an empty one as `[CLS] [SEP]`, so that their numbers stay the file's.

    Where several ` ||| ` stand in a line, text b begins after the last one.
    """
    for index, content in enumerate(_lines(path)):
        text = content.decode("utf-8").removeprefix("\ufeff" if index == 0 else "").strip()
        text_a, separator, text_b = text.rpartition(_BETWEEN_TEXTS)
        if not separator:
            text_a, text_b = text, ""
        packed = pack(tokenizer.tokenize(text_a), tokenizer.tokenize(text_b), max_seq_length)
        yield Line(index, packed.pieces, packed.segment_ids)


def pools(lines: Iterable[Line], num_tokens: int) -> Iterator[list[Line]]:
    """Cuts lines into lists that end with the line that brings them to this number of tokens."""
    pool, size = [], 0
    for line in lines:
        pool.append(line)
        size += len(line.tokens)
        if size >= num_tokens:
            yield pool
            pool, size = [], 0
    if pool:
        yield pool


def _lines(path: str) -> Iterator[bytes]:
    with named_errors(path, "read"), open_bytes(path) as file:
        yield from file
