"""What is known of a task before its files are read."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.files import exists
from bert_keras.notices import notify
from bert_keras.tasks.classification.reading import Layout
from bert_keras.tasks.tables import ENDINGS


class TaskDescription(NamedTuple):
    """Files of a task, without the endings of their names, their columns, labels and scores.

    Attributes:
        text_a, text_b, label: names of columns, see `Layout`.
        labels: the classes; (): those that the training file has.
        problem_type: what is asked for.
        metrics: the official scores; the first decides which weights are better.
        submission: name of a set without answers -> its file in GLUE's submission.
        id, is_numbered: what names the rows, see `Layout`.
        train: the training file; "": there is none.
        dev: the files with answers to compare with.
        test: the files without.
        without_header: those that have none; their columns are called "1", "2", …
        has_broken_rows: the official training file has rows that a line end cut in two.
        language: the column that says the language of a row.
        other_names: what files call some labels -> their names.
        range: the least and the greatest number that a submission takes.
    """

    text_a: tuple[str, ...]
    text_b: tuple[str, ...]
    label: tuple[str, ...]
    labels: tuple[str, ...]
    problem_type: str
    metrics: tuple[str, ...]
    submission: Mapping[str, str]
    id: tuple[str, ...] = ("index", "id")
    is_numbered: bool = True
    train: str = "train"
    dev: tuple[str, ...] = ("dev",)
    test: tuple[str, ...] = ("test",)
    without_header: tuple[str, ...] = ()
    has_broken_rows: bool = False
    language: str = ""
    other_names: Mapping[str, str] = {}
    range: tuple[float, float] = (-math.inf, math.inf)

    def layout(self, language: str) -> Layout:
        """How its files are read, if they hold several languages, the rows of one."""
        wanted = {self.language: language} if self.language else {}
        return Layout(
            self.text_a,
            self.text_b,
            self.label,
            self.id,
            self.is_numbered,
            wanted,
            self.other_names,
        )


def find_files(folder: str, names: Sequence[str]) -> dict[str, str]:
    """Name -> file of that name with one of the endings of tables; a notice says what is missing.

    Raises:
        InputError: there is none at all.
    """
    found = {name: path for name in names if (path := _find_file(folder, name))}
    if not found:
        raise InputError(
            f"{folder} must hold {' or '.join(names)}, as .{', .'.join(ENDINGS)}. Received: none "
            "of them. Check --data_dir, or name a file by --train_file, --dev_file, --test_file."
        )
    for name in names:
        if name not in found:
            notify(f"{folder} has no {name}.{ENDINGS[0]}: it is left out.")
    return found


def _find_file(folder: str, name: str) -> str | None:
    paths = (f"{folder}/{name}.{ending}" for ending in ENDINGS)
    return next(filter(exists, paths), None)
