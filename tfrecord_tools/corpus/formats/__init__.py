"""How documents lie in a file: one file a format, and the table of `--input_format`.

A format is two functions. The parent process cuts the bytes of a file into blocks where documents
end, without looking further. A worker reads the documents of a block.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tfrecord_tools.corpus.formats import blank_lines, json_lines, whole_files, wikiextractor


class Format(NamedTuple):
    """One value of `--input_format`.

    document_end: the first bytes of a file -> what stands at the end of its documents.
    is_divisible: whether a document that is too long may be cut at any line end.
    read: (text of a block, source, number of its first line, settings) -> documents, each the
      number of its first line and its lines, blanks at both ends taken off.
    is_sentence_a_line: lines are sentences; nothing is split.
    is_hard_wrapped: running text goes on over line ends, and an empty line ends a paragraph;
      otherwise each line is a paragraph.
    """

    document_end: Callable[[bytes], re.Pattern[bytes]]
    is_divisible: bool
    read: Callable[..., Iterator[tuple[int, list[str]]]]
    is_sentence_a_line: bool = False
    is_hard_wrapped: bool = False


FORMATS = {
    "sentences": Format(
        blank_lines.document_end, True, blank_lines.read_sentences, is_sentence_a_line=True
    ),
    "paragraphs": Format(
        blank_lines.document_end, True, blank_lines.read_paragraphs, is_hard_wrapped=True
    ),
    "files": Format(whole_files.document_end, True, whole_files.read, is_hard_wrapped=True),
    "wikiextractor": Format(wikiextractor.document_end, False, wikiextractor.read),
    "jsonl": Format(json_lines.document_end, False, json_lines.read),
}
