"""Each file is a document of running text."""

import re
from collections.abc import Iterator

from tfrecord_tools.corpus.formats.blank_lines import stripped_lines

_NOWHERE = re.compile(rb"(?!)")


def document_end(head: bytes) -> re.Pattern[bytes]:
    return _NOWHERE


def read(text: str, source: str, first_line: int, settings) -> Iterator[tuple[int, list[str]]]:
    lines = stripped_lines(text)
    is_whole = first_line == 1  # not a later part of a file that was cut
    num_empty = next((number for number, line in enumerate(lines) if line), 0) if is_whole else 0
    yield first_line + num_empty, lines
