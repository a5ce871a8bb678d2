"""Documents with empty lines between them: BERT's input format, and running text.

A line of blanks of any script counts as empty. Only a line feed ends a line, so U+2028 does not.
"""

import itertools
import re
from collections.abc import Iterator

# What str.strip() takes off, in UTF-8, but for the line feed.
BLANK = (
    rb"(?:[\t\x0b-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]"
    rb"|\xe2\x81\x9f|\xe3\x80\x80)"
)
_EMPTY_LINE = re.compile(rb"\n" + BLANK + rb"*\n")


def document_end(head: bytes) -> re.Pattern[bytes]:
    return _EMPTY_LINE


def sentence_lines(text: str) -> list[str]:
    """Returns the lines of BERT's input format, empty ones too.

    Carriage returns are removed wherever they stand: so does TensorFlow's file reader, which the
    original uses.
    """
    return stripped_lines(text.replace("\r", ""))


def read_sentences(text: str, source: str, first_line: int, settings):
    return _documents(sentence_lines(text), first_line)


def read_paragraphs(text: str, source: str, first_line: int, settings):
    return _documents(stripped_lines(text), first_line)


def stripped_lines(text: str) -> list[str]:
    """Returns the lines without the blanks around them; the last may lack its line feed."""
    return [line.strip() for line in text.removesuffix("\n").split("\n")]


def _documents(lines: list[str], first_line: int) -> Iterator[tuple[int, list[str]]]:
    number = first_line
    for has_text, group in itertools.groupby(lines, key=bool):
        document = list(group)
        if has_text:
            yield number, document
        number += len(document)
