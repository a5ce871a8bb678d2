"""Rows of SWAG, CODAH and RACE as examples."""

import json
import re
import string
from collections.abc import Iterator
from typing import Any

from bert_keras.errors import InputError
from bert_keras.tasks.multiple_choice.example import (
    Example,
    check_endings,
    check_text,
    label_index,
)
from bert_keras.tasks.tables import Row

FIRST_ENDING = "ending0"
# Of SWAG, one of its rows among all; of other files, if they have it.
_ID_COLUMNS = ("id", "fold-ind")
# CODAH has no header: category, prompt, ending0 to ending3, label.
_CODAH_PROMPT, _CODAH_ENDINGS, _CODAH_LABEL = "2", ("3", "4", "5", "6"), "7"


def swag(row: Row, is_labeled: bool) -> Iterator[Example]:
    """SWAG (Zellers et al. 2018, arXiv:1808.05326): by the names of its columns.

    `sent1` is the context. A continuation is `sent2`, the begin of the second sentence, if there is
    such a column, with one of `ending0`, `ending1` and so on, of which there may be any number.
    `label` is the number of the right one, from 0.

    Raises:
        InputError, which names the line: a column is missing or blank, or the label is none.
    """
    endings = check_endings(row.place, [row.value(name) for name in _ending_columns(row)])
    start = row.text("sent2").strip() if "sent2" in row.values else ""
    yield Example(
        _id(row),
        check_text(row.place, "sent1", row.value("sent1")),
        tuple(f"{start} {ending}".strip() for ending in endings),
        _numbered_label(row.place, row.value("label"), len(endings)) if is_labeled else None,
    )


def codah(row: Row, is_labeled: bool) -> Iterator[Example]:
    """CODAH (Chen et al. 2019, arXiv:1904.04365): category, prompt, four endings, label.

    Its prompt holds the begin of the second sentence. Where no label is needed, the column may be
    missing.

    Raises:
        InputError, which names the line: a wrong number of columns, a blank text, a wrong label.
    """
    num_columns = len(row.values)
    allowed = [int(_CODAH_LABEL)] if is_labeled else [int(_CODAH_LABEL) - 1, int(_CODAH_LABEL)]
    if num_columns not in allowed:
        raise InputError(
            f"{row.place}: without a header, a table has {_CODAH_LABEL} columns: category, prompt, "
            "four endings, label (which --test_file may lack). With one, it names sent1, "
            f"sent2, ending0, ending1, … and label. Received: {num_columns} columns."
        )
    endings = check_endings(row.place, [row.text(name) for name in _CODAH_ENDINGS])
    yield Example(
        "",
        check_text(row.place, "the prompt", row.text(_CODAH_PROMPT)),
        tuple(endings),
        _numbered_label(row.place, row.value(_CODAH_LABEL), len(endings)) if is_labeled else None,
    )


def race(row: Row, is_labeled: bool) -> Iterator[Example]:
    """RACE (Lai et al. 2017, arXiv:1704.04683): an article with several questions.

    `article` is the context. A continuation is one of `questions` with one of its `options`; of
    `answers` "A" is the first option. Its id is that of the article with the question's number.

    Raises:
        InputError, which names line and question: something is missing, blank or no list.
    """
    article = check_text(row.place, "article", row.value("article"))
    columns = ("questions", "options", "answers") if is_labeled else ("questions", "options")
    lists = [row.value(name) for name in columns]
    if not all(isinstance(values, list) for values in lists) or len({*map(len, lists)}) != 1:
        raise InputError(
            f"{row.place}: {', '.join(columns)} must be lists with an entry for each question. "
            f"Received: {json.dumps(dict(zip(columns, lists, strict=True)))[:200]}."
        )
    for number, (question, options, *answer) in enumerate(zip(*lists, strict=True), start=1):
        place = f"{row.place}, question {number}"
        question = check_text(place, "the question", question)
        options = check_endings(place, options)
        letters = string.ascii_uppercase[: len(options)]
        yield Example(
            f"{row.values['id']}-{number}" if "id" in row.values else "",
            article,
            tuple(f"{question} {option}" for option in options),
            label_index(place, answer[0], letters) if is_labeled else None,
        )


def _id(row: Row) -> str:
    ids = (row.values.get(name) for name in _ID_COLUMNS)
    return next((str(name) for name in ids if name is not None), "")


def _ending_columns(row: Row) -> list[str]:
    """As many as the row has, from `ending0` on: of one left out between them the name is there."""
    num_endings = sum(re.fullmatch("ending[0-9]+", name) is not None for name in row.values)
    return [f"ending{index}" for index in range(num_endings)]


def _numbered_label(place: str, label: Any, num_endings: int) -> int:
    return label_index(place, label, [str(index) for index in range(num_endings)])
