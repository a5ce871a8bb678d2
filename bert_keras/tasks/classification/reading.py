"""Rows of files as examples: a text or two, and what is true of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bert_keras.errors import InputError
from bert_keras.tasks.tables import Row, missing_column, read_rows


class Example(NamedTuple):
    """One row.

    Attributes:
        id: what its row of predictions is called.
        text_a: may be empty.
        text_b: None where there is one text.
        answer: a label, a tuple of labels, or a number; None where it was not read.
        place: file and line, for messages.
    """

    id: str
    text_a: str
    text_b: str | None
    answer: Any
    place: str

    @property
    def texts(self) -> str | tuple[str, str]:
        """The text, or the pair of both."""
        return self.text_a if self.text_b is None else (self.text_a, self.text_b)


class Layout(NamedTuple):
    """What the columns of a file are called.

    Attributes:
        text_a, text_b: names, of which a file has one; none for `text_b`: there is no second text.
        answer: what `read_answer` takes.
        id: names, of which a file has one.
        is_numbered: rows of a file that has none of these are numbered from 0.
        wanted: column -> value of the rows to be read, if there is such a column.
        other_names: what files call some answers -> what they are.
    """

    text_a: Sequence[str]
    text_b: Sequence[str]
    answer: Sequence[str]
    id: Sequence[str] = ()
    is_numbered: bool = True
    wanted: Mapping[str, str] = {}
    other_names: Mapping[str, str] = {}


def read_examples(
    path: str,
    layout: Layout,
    read_answer: Callable[[Row, Sequence[str]], Any] | None,
    header: bool = True,
    skip_broken: bool = False,
) -> list[Example]:
    """Reads the examples of a file.

    Args:
        path: a CSV, TSV or JSON lines, see `read_rows`.
        layout: its columns.
        read_answer: function of a row and `layout.answer` -> the answer; None: there is none.
        header, skip_broken: as of `read_rows`.

    Raises:
        InputError: a row, a column or an answer cannot be read; there is no example.
    """
    examples = []
    for row in read_rows(path, header, skip_broken):
        if any(row.values.get(column, value) != value for column, value in layout.wanted.items()):
            continue
        answer = None
        if read_answer:
            answer = read_answer(row, layout.answer)
            answer = layout.other_names.get(answer, answer)
        examples.append(
            Example(
                id=_id(row, layout, len(examples)),
                text_a=row.text(column_of(row, layout.text_a)),
                text_b=row.text(column_of(row, layout.text_b)) if layout.text_b else None,
                answer=answer,
                place=row.place,
            )
        )
    if not examples:
        wanted = ", ".join(f"{column} = {value}" for column, value in layout.wanted.items())
        raise InputError(f"{path} must hold rows{wanted and ' with '}{wanted}. Received: none.")
    return examples


def column_of(row: Row, names: Sequence[str]) -> str:
    """Which of the names the row has; raises InputError if it has none of them."""
    for name in names:
        if name in row.values:
            return name
    raise missing_column(
        row,
        names,
        " --text_a_column, --text_b_column, --label_column and --id_column name columns; "
        "--noheader is for a file whose first line names none.",
    )


def one_line(row: Row, column: str) -> str:
    """A name: text, or a number, true or false of JSON, without the blanks around it.

    Raises:
        InputError: it is something else, or has a tab or line end, which no table of predictions
            can hold.
    """
    value = row.value(column)
    if not isinstance(value, str | int | float) or value != value:  # NaN is what pandas writes
        raise InputError(
            f"{row.place}: the column {column!r} must hold a name. "
            f"Received: {json.dumps(value):.100}."
        )
    name = value.strip() if isinstance(value, str) else json.dumps(value)
    if not fits_cell(name):
        raise InputError(
            f"{row.place}: a name in the column {column!r} has neither tabs nor line ends. "
            f"Received: {name!r:.100}."
        )
    return name


def label_name(row: Row, column: str) -> str:
    """A label: a name that is not empty; raises InputError for anything else."""
    label = one_line(row, column)
    if not label:
        raise InputError(f"{row.place}: the label must not be empty. Received: '' in {column!r}.")
    return label


def fits_cell(name: str) -> bool:
    """Whether a cell of a table of predictions can hold a name: no tab, no line end in it."""
    return "\t" not in name and name.splitlines() in ([], [name])


def _id(row: Row, layout: Layout, number: int) -> str:
    if layout.is_numbered and row.values.keys().isdisjoint(layout.id):
        return str(number)
    return one_line(row, column_of(row, layout.id))
