"""Any number of labels for each text: the answer is a tuple of names, which may be empty."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.config import MOST_LABELS
from bert_keras.errors import InputError
from bert_keras.tasks.classification.answers import Answers, label_indices
from bert_keras.tasks.classification.labels import counted
from bert_keras.tasks.classification.metrics import scores
from bert_keras.tasks.classification.reading import Example, column_of, label_name, one_line
from bert_keras.tasks.collapse import notify_collapse
from bert_keras.tasks.tables import Row

MARKS = {"1": True, "true": True, "0": False, "false": False}


class Labels(NamedTuple):
    """The labels with a probability of at least 0.5, and label -> probability of all."""

    labels: list[str]
    probabilities: dict[str, float]


def read(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    """Names with commas between them, or a list of JSON; of several columns, those marked with 1.

    A name that holds a comma stands in quotation marks, as in a CSV.

    Raises:
        InputError: something else stands there.
    """
    if len(columns) > 1:
        return tuple(column for column in columns if _is_marked(row, column))
    column = column_of(row, columns)
    value = row.value(column)
    if isinstance(value, list):
        return tuple(label_name(row._replace(values={column: label}), column) for label in value)
    labels = (label.strip() for label in _separated(row, column))
    return tuple(label for label in labels if label)


def names(examples: Sequence[Example]) -> tuple[str, ...]:
    """The labels that occur."""
    return tuple(sorted({label for example in examples for label in example.answer}))


def describe(examples: Sequence[Example]) -> str:
    """The labels and how many texts have each."""
    return f"labels: {counted(label for example in examples for label in example.answer)}"


def encode(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, np.ndarray]:
    """`label_marks`, float32 [N, L]: 1 where an example has the label.

    Raises:
        InputError: for a label that is none of them.
    """
    marks = np.zeros([len(examples), len(labels)], np.float32)
    for position in label_indices(examples, labels, tuple):
        marks[position] = 1
    return {"label_marks": marks}


def score(
    logits: np.ndarray, examples: Sequence[Example], labels: Sequence[str], metrics: Sequence[str]
) -> dict[str, float]:
    """Compares the sets of labels; says so if all predictions are the same set."""
    answers = encode(examples, labels)["label_marks"].astype(np.int32)
    predicted = _is_predicted(logits).astype(np.int32)
    if not np.ptp(predicted, axis=0).any() and np.ptp(answers, axis=0).any():
        notify_collapse(len(logits), repr(predict(logits[:1], labels)[0]))
    return scores(metrics, answers, predicted)


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Logits [N, L] -> the probability of every label by itself, [N, L]."""
    from scipy.special import expit

    return expit(logits.astype(np.float64))


def predict(logits: np.ndarray, labels: Sequence[str]) -> list[str]:
    """The labels with a probability of at least 0.5 of each row, as `read` takes them."""
    return [_joined(row) for row in _predicted(logits, labels)]


def decode(logits: np.ndarray, labels: Sequence[str]) -> list[Labels]:
    """`Labels` for each row of logits [N, L]."""
    rows = zip(_predicted(logits, labels), probabilities(logits).tolist(), strict=True)
    return [Labels(found, dict(zip(labels, row, strict=True))) for found, row in rows]


def _predicted(logits: np.ndarray, labels: Sequence[str]) -> list[list[str]]:
    return [
        [label for label, found in zip(labels, row, strict=True) if found]
        for row in _is_predicted(logits)
    ]


def _is_predicted(logits: np.ndarray) -> np.ndarray:
    return logits >= 0  # bool [N, L]


def _separated(row: Row, column: str) -> list[str]:
    """The parts of a cell between commas, quoted as in RFC 4180."""
    text = one_line(row, column)
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise InputError(
            f"{row.place}: commas part the labels of the column {column!r}, and one that holds a "
            f"comma stands in quotation marks. Received: {text!r:.100} ({error})."
        ) from error


def _joined(labels: Iterable[str]) -> str:
    cell = io.StringIO()
    csv.writer(cell, lineterminator="").writerow(labels)
    return cell.getvalue()


def _is_marked(row: Row, column: str) -> bool:
    mark = one_line(row, column)
    if mark.lower() not in MARKS:
        raise InputError(
            f"{row.place}: the column {column!r} must hold 1 or 0: whether the text has this "
            f"label. Received: {mark!r}."
        )
    return MARKS[mark.lower()]


ANSWERS = Answers(
    read=read,
    names=names,
    describe=describe,
    fewest_labels=1,
    most_labels=MOST_LABELS,
    encode=encode,
    metrics=("micro_f1", "exact_match"),
    score=score,
    probabilities=probabilities,
    predict=predict,
    decode=decode,
    column="prediction",
)
