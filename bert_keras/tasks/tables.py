"""Rows of CSV, TSV and JSON objects, each with its place, so that an error can name it.

Lines end at "\\n" or "\\r\\n" and nowhere else: other characters that Python takes for line ends
(U+2028, "\\x85") are text. Loads no TensorFlow.
"""

import csv
import difflib
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from bert_keras.errors import InputError
from bert_keras.files import read_text
from bert_keras.notices import notify

_LONGEST_FIELD = 2**31 - 1  # characters; the csv module's own limit, 131072, is that of a process
_BLANKS = re.compile("[ \\t\\r\\n]*")  # what JSON allows between values


class Row(NamedTuple):
    """One row of a file.

    Attributes:
        path: the file.
        line: the line that the row begins in, from 1.
        values: column -> text; of JSON, any of its values.
    """

    path: str
    line: int
    values: dict[str, Any]

    @property
    def place(self) -> str:
        """The file and line, for messages."""
        return f"{self.path}, line {self.line}"

    def value(self, column: str) -> Any:
        """What stands in a column; raises InputError if there is no such column."""
        if column not in self.values:
            raise missing_column(self, (column,))
        return self.values[column]

    def text(self, column: str) -> str:
        """The text of a column, which may be empty; raises InputError if it is missing or none."""
        text = self.value(column)
        if not isinstance(text, str):
            raise InputError(
                f"{self.place}: the column {column!r} must hold text. "
                f"Received: {json.dumps(text):.100}."
            )
        return text


def missing_column(row: Row, names: Sequence[str], advice: str = "") -> InputError:
    """The error of a row that has none of the columns; it says what may be meant."""
    columns = [*row.values]
    place = row.place if row.path.endswith((".json", ".jsonl")) else f"{row.path}, line 1"
    by_folded = {column.casefold(): column for column in columns}
    folded = [name.casefold() for name in names]
    near = [column for name in folded for column in difflib.get_close_matches(name, by_folded)]
    hint = f" Is {by_folded[near[0]]!r} meant?" if near else ""
    if len(columns) == 1:
        hint += " Columns are parted by commas (.csv) or tabs (.tsv, .txt)."
    return InputError(
        f"{place}: there must be a column {' or '.join(map(repr, names))}. Received: the "
        f"columns {', '.join(map(repr, columns)):.500}.{hint}{advice}"
    )


def read_rows(path: str, header: bool = True, skip_broken: bool = False) -> Iterator[Row]:
    """Reads a table, row by row. The end of its name says how its lines are to be understood.

    `.csv`: commas, quoted as in RFC 4180. `.tsv` and `.txt`: tabs, and quotation marks are text as
    any other (the layout of GLUE; `_read_tsv` of the original). `.jsonl` and `.json`: an object a
    row, see `read_objects`, whose keys are the columns. A byte order mark and Windows line ends do
    no harm, nor do blank lines at the end; but in a table of one column a blank line is a row, an
    empty text, wherever it stands.

    Args:
        path: a file.
        header: the first line of a CSV or TSV names the columns; else these are "1", "2", …
        skip_broken: leave rows with a wrong number of columns out, with a notice, instead of
            refusing the file.

    Raises:
        InputError, which names the line: not UTF-8, no row, a row that cannot be read.
    """
    ending = path.rpartition(".")[2].lower()
    if ending not in _READERS:
        raise InputError(
            f"The name of a table ends in {', '.join('.' + name for name in ENDINGS)}, which says "
            f"how it is read. Received: {path}"
        )
    text = read_text(path)
    if not text.strip("\r\n"):
        raise InputError(f"A table must hold rows. Received: {path}, which is empty.")
    return _READERS[ending](path, text, header, skip_broken)


def read_objects(path: str) -> Iterator[Row]:
    """Reads JSON objects that stand one after the other, on a line each or not.

    Raises:
        InputError, which names the line: not UTF-8, or what is no object.
    """
    return _objects(path, read_text(path))


def _objects(path: str, text: str, *_) -> Iterator[Row]:
    decode = json.JSONDecoder().raw_decode
    line, end = 1, 0
    while (start := _BLANKS.match(text, end).end()) < len(text):
        line += text.count("\n", end, start)
        reason = "it is none"
        try:
            values, end = decode(text, start)
            json.dumps(values, ensure_ascii=False).encode()  # "\\ud800" alone is no character
        except (ValueError, RecursionError) as error:
            values, reason = None, error
        if not isinstance(values, dict):
            hint = ""
            if isinstance(values, list):
                hint = ". pandas writes such lines by to_json(path, orient='records', lines=True)"
            raise InputError(
                f"{path}, line {line}: JSON objects must stand one after the other, such as "
                f'{{"sentence": "…", "label": "…"}}. Received: {text[start : start + 100]!r} '
                f"({reason}){hint}"
            )
        yield Row(path, line, values)
        line += text.count("\n", start, end)


def _delimited(lines: Callable[[str, str], Iterator[tuple[int, list[str]]]]):
    """A reader of tables whose rows are `lines`, function of path and text -> line and fields."""

    def read(path: str, text: str, header: bool, skip_broken: bool) -> Iterator[Row]:
        line, first = next(lines(path, text))
        if len(first) > 1:
            text = text.rstrip("\r\n")
        if header and "\n" not in text.removesuffix("\n"):
            raise InputError(f"A table must hold rows. Received: {path}, which has a header alone.")
        rows = lines(path, text)
        next(rows)
        columns = first if header else [str(index + 1) for index in range(len(first))]
        if header:
            _check_header(path, columns)
        else:
            yield Row(path, line, dict(zip(columns, first, strict=True)))
        broken = []
        for line, fields in rows:
            if len(fields) == len(columns):
                yield Row(path, line, dict(zip(columns, fields, strict=True)))
            elif skip_broken:
                broken.append(line)
            else:
                _refuse(path, line, fields, columns)
        if broken:
            notify(
                f"{path}: {len(broken)} rows with a wrong number of columns are left out, the "
                f"first in line {broken[0]}."
            )

    return read


def _tab_lines(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    for line, content in enumerate(io.StringIO(text, newline="\n"), start=1):
        yield line, content.removesuffix("\n").removesuffix("\r").split("\t")


def _comma_lines(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
    line = 1
    try:
        for fields in reader:
            yield line, fields or [""]
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{path}, line {line}: a field with commas, line ends or quotation marks stands in "
            f'"…", and each mark in it is doubled: "". Received: {error}.'
        ) from error


_READERS = {
    "tsv": _delimited(_tab_lines),
    "csv": _delimited(_comma_lines),
    "jsonl": _objects,
    "json": _objects,
    "txt": _delimited(_tab_lines),
}
ENDINGS = tuple(_READERS)


def _check_header(path: str, columns: Sequence[str]) -> None:
    repeated = [name for name in columns if name and columns.count(name) > 1]
    if repeated:
        raise InputError(
            f"{path}, line 1: columns must have different names. Received: {repeated[0]!r} twice. "
            "Or is this line no header?"
        )


def _refuse(path: str, line: int, fields: Sequence[str], columns: Sequence[str]) -> None:
    raise InputError(
        f"{path}, line {line}: a row has as many columns as the first line, {len(columns)} "
        f"({', '.join(columns)}). Received: {len(fields)}: {fields!r:.200}."
    )
