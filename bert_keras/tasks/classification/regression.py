"""A number for each text, such as how similar two sentences are."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.errors import InputError
from bert_keras.tasks.classification.answers import Answers
from bert_keras.tasks.classification.metrics import scores
from bert_keras.tasks.classification.reading import Example, column_of, one_line
from bert_keras.tasks.collapse import notify_collapse
from bert_keras.tasks.tables import Row

LABEL = "score"  # the name of the only output
LARGEST = float(np.finfo(np.float32).max)


class Score(NamedTuple):
    """A number."""

    score: float


def read(row: Row, columns: Sequence[str]) -> float:
    """The number in the one of the columns that the file has; raises InputError if it is none."""
    column = column_of(row, columns)
    text = one_line(row, column)
    try:
        number = float("nan" if "_" in text else text)  # to Python 1_0 is 10
    except ValueError:
        number = math.nan
    if not abs(number) <= LARGEST:  # so that NaN is refused
        raise InputError(
            f"{row.place}: the column {column!r} must hold a number. Received: {text!r}."
        )
    return number


def names(examples: Sequence[Example]) -> tuple[str, ...]:
    """The name of the only output."""
    return (LABEL,)


def describe(examples: Sequence[Example]) -> str:
    """Between which numbers the answers lie."""
    answers = [example.answer for example in examples]
    return f"numbers from {min(answers):g} to {max(answers):g}"


def encode(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, np.ndarray]:
    """`scores`, float32 [N]."""
    return {"scores": np.array([example.answer for example in examples], np.float32)}


def score(
    logits: np.ndarray, examples: Sequence[Example], labels: Sequence[str], metrics: Sequence[str]
) -> dict[str, float]:
    """Compares numbers, in float64: in float32 two dates in seconds may be one number.

    Says so if all predictions are the same.
    """
    answers = np.array([example.answer for example in examples], np.float64)
    predicted = logits[:, 0].astype(np.float64)
    if np.ptp(predicted) == 0 < np.ptp(answers):
        notify_collapse(len(predicted), predict(logits[:1], labels)[0])
    return scores(metrics, answers, predicted)


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Numbers have none."""
    return logits[:, :0]


def predict(logits: np.ndarray, labels: Sequence[str]) -> list[str]:
    """Logits [N, 1] as decimal numbers."""
    return [f"{number:.7g}" for number in logits[:, 0]]


def decode(logits: np.ndarray, labels: Sequence[str]) -> list[Score]:
    """A `Score` for each row of logits [N, 1]."""
    return [Score(number) for number in logits[:, 0].tolist()]


ANSWERS = Answers(
    read=read,
    names=names,
    describe=describe,
    fewest_labels=1,
    most_labels=1,
    encode=encode,
    metrics=("spearman", "pearson"),
    score=score,
    probabilities=probabilities,
    predict=predict,
    decode=decode,
    column=LABEL,
)
