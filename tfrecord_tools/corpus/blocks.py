"""Files of any format -> blocks of whole documents. Runs in the parent process.

A block is what a worker gets: about a megabyte of one source. Where blocks begin and end depends on
the text alone. Nothing is taken out: the blocks of a file after each other are its text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.notices import notify
from tfrecord_tools.corpus import compression
from tfrecord_tools.corpus.formats import FORMATS, Format, blank_lines
from tfrecord_tools.corpus.settings import STDIN, CorpusSettings, input_files

BLOCK_BYTES = 1 << 20
MAX_DOCUMENT_BYTES = 16 << 20
MAX_LINE_BYTES = 16 << 20
LONGEST_BLOCK = BLOCK_BYTES + MAX_DOCUMENT_BYTES
_EMPTY_LINES = re.compile(rb"(?:" + blank_lines.BLANK + rb"*+\n)*+")
_BLANK_TEXT = re.compile(rb"(?:" + blank_lines.BLANK + rb"|\n)*+")
_BEGINS = {
    "wikiextractor": re.compile(rb"\s*<doc id="),
    "jsonl": re.compile(rb'\s*\{\s*"[^"\n]+"\s*:'),
}


class Block(NamedTuple):
    """Whole documents, or parts of one that is longer than MAX_DOCUMENT_BYTES.

    source: the file, for messages.
    first_line: number of the first line of `data` in the source, from 1.
    data: whole lines.
    document_line: number of the line in which the first document of the block begins; less than
      `first_line` if the block begins within a document that was cut.
    """

    source: str
    first_line: int
    data: bytes
    document_line: int


def read_blocks(settings: CorpusSettings, report_bytes: Callable[[int], None]) -> Iterator[Block]:
    """Yields the corpus, one source after another; the end of a file ends its last block.

    Memory: about twice MAX_DOCUMENT_BYTES at most.

    Args:
      settings: those of the program.
      report_bytes: is told how many bytes were read from the disk, compressed if the file is so;
        all together they are `settings.num_input_bytes`.

    Raises:
      InputError: a setting, file or data set cannot be read, or a line or an article is too long.
    """
    if settings.tfds:
        from tfrecord_tools.corpus import tfds  # loads TensorFlow

        yield from tfds.read_blocks(settings)
        return
    format_ = FORMATS[settings.input_format]
    is_doubtful = False
    for path in input_files(settings):
        source = "standard input" if path == STDIN else path
        holds_text = False
        for block in _cut(source, compression.read_file(path, report_bytes), format_):
            holds_text = holds_text or not _BLANK_TEXT.fullmatch(block.data)
            is_doubtful = is_doubtful or _notify_of_other_format(block, settings.input_format)
            yield block
        if not holds_text:
            notify(f"{source} holds no text")


def _notify_of_other_format(block: Block, input_format: str) -> bool:
    """Says so, and returns True, if a file read as plain text is not plain text."""
    if not FORMATS[input_format].is_divisible:  # such a format finds out itself
        return False
    looks = next((name for name, begin in _BEGINS.items() if begin.match(block.data)), None)
    if looks:
        notify(f"{block.source} looks like {looks}, but is read as --input_format={input_format}")
    return looks is not None


def _cut(source: str, chunks: Iterator[bytes], format_: Format) -> Iterator[Block]:
    """Cuts a file after the first document that ends behind BLOCK_BYTES, again and again."""
    data, first_line, document_line = b"", 1, 1
    document_end = None
    for chunk in chunks:
        document_end = document_end or format_.document_end(chunk)
        last_line = data.rfind(b"\n") + 1
        _check_line_length(source, first_line, data, last_line, chunk)
        searched = last_line - 1  # an end of which `data` holds a part begins there
        data += chunk
        while len(data) > BLOCK_BYTES:
            end = document_end.search(data, max(BLOCK_BYTES, searched), LONGEST_BLOCK)
            if not end and len(data) < LONGEST_BLOCK:
                break
            length = end.end() if end else data.rfind(b"\n", 0, LONGEST_BLOCK) + 1
            block = Block(source, first_line, data[:length], document_line)
            yield block
            first_line += block.data.count(b"\n")
            document_line = first_line if end else _cut_document(block, document_end, format_)
            data, searched = data[length:], 0
    if data:
        yield Block(source, first_line, data, document_line)


def _cut_document(block: Block, document_end: re.Pattern[bytes], format_: Format) -> int:
    """Returns the line in which the last document of a block, that goes on behind it, begins.

    Raises:
      InputError: a document of the format cannot be cut.
    """
    begin = -1
    for end in document_end.finditer(b"\n" + block.data):  # an empty first line is an end too
        begin = end.end() - 1
    if begin < 0 and block.document_line < block.first_line:
        return block.document_line  # another part of the same
    begin = _EMPTY_LINES.match(block.data, max(begin, 0)).end()
    line = block.first_line + block.data.count(b"\n", 0, begin)
    size = f"{MAX_DOCUMENT_BYTES >> 20} MB"
    if not format_.is_divisible:
        raise InputError(
            f"The document in line {line} of {block.source} must end within {size}; it goes on. "
            "Check that --input_format is the file's, and that the file is whole."
        )
    notify(f"the document in line {line} of {block.source} is longer than {size}: it is cut")
    return line


def _check_line_length(
    source: str, first_line: int, data: bytes, last_line: int, chunk: bytes
) -> None:
    """Raises InputError if the last line of `data` goes on too long in the next chunk."""
    line_end = chunk.find(b"\n")
    length = len(data) - last_line + (len(chunk) if line_end < 0 else line_end)
    if length > MAX_LINE_BYTES:
        number = first_line + data.count(b"\n")
        raise InputError(
            f"A line may have {MAX_LINE_BYTES >> 20} MB; line {number} of {source} is longer. "
            "Break it into lines; is it text at all?"
        )
