"""JSON lines: an object a line, the text of a document in one of its fields.

In the text each line is a paragraph.
"""

import json
import re
from collections.abc import Iterator

from bert_keras.errors import InputError
from tfrecord_tools.corpus.decoding import LEFT_OUT
from tfrecord_tools.corpus.formats.blank_lines import stripped_lines

_LINE_END = re.compile(rb"\n")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")  # JSON can write it, UTF-8 cannot


def document_end(head: bytes) -> re.Pattern[bytes]:
    return _LINE_END


def read(text: str, source: str, first_line: int, settings) -> Iterator[tuple[int, list[str]]]:
    """Yields the documents; raises InputError for a line without the field or with other JSON."""
    for number, fields in read_objects(text, source, first_line):
        yield number, stripped_lines(text_of(fields, settings.text_field, source, number))


def read_objects(text: str, source: str, first_line: int) -> Iterator[tuple[int, dict]]:
    """Yields the number of each line that is not empty, and its JSON object."""
    for number, line in enumerate(text.split("\n"), start=first_line):
        line = line.strip()
        if not line or line == LEFT_OUT:
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"Each line must be a JSON object; {source}, line {number}, is no JSON: "
                f"{error}. It begins with {line[:40]!r}."
            ) from error
        if not isinstance(fields, dict):
            raise InputError(
                f"Each line must be a JSON object; {source}, line {number}, holds a "
                f"{type(fields).__name__}: {line[:40]!r}."
            )
        yield number, fields


def text_of(fields: dict, name: str, source: str, number: int) -> str:
    """Returns the text in a field; raises InputError where there is none."""
    text = fields.get(name)
    if isinstance(text, str):
        return _LONE_SURROGATE.sub("\ufffd", text)
    found = f"it is {json.dumps(text)[:40]}" if name in fields else "it is not there"
    raise InputError(
        f"Field {name!r} must hold the text; in {source}, line {number}, {found}. The fields are "
        f"{', '.join(map(repr, fields))[:200] or 'none'}: name one by --text_field, or take the "
        "line out."
    )
