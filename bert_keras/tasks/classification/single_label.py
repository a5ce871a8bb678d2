"""One label for each text: the answer is the name of a class."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.config import MOST_LABELS
from bert_keras.tasks.classification.answers import Answers, label_indices
from bert_keras.tasks.classification.labels import counted
from bert_keras.tasks.classification.metrics import scores
from bert_keras.tasks.classification.reading import Example, column_of, label_name
from bert_keras.tasks.collapse import notify_collapse
from bert_keras.tasks.tables import Row


class Label(NamedTuple):
    """The most likely label, and label -> probability of all."""

    label: str
    probabilities: dict[str, float]


def read(row: Row, columns: Sequence[str]) -> str:
    """The label in the one of the columns that the file has; raises InputError if it is empty."""
    return label_name(row, column_of(row, columns))


def names(examples: Sequence[Example]) -> tuple[str, ...]:
    """The labels that occur."""
    return tuple(sorted({example.answer for example in examples}))


def describe(examples: Sequence[Example]) -> str:
    """The labels and how often each occurs; a hint if they look like numbers to be learned."""
    answers = [example.answer for example in examples]
    are_fractions = all(re.fullmatch(r"-?\d*\.\d+", answer) for answer in answers)
    hint = "; to learn them as numbers there is --problem_type=regression" if are_fractions else ""
    return f"labels: {counted(answers)}{hint}"


def encode(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, np.ndarray]:
    """`label_ids`, int32 [N]; raises InputError for a label that is none of them."""
    ids = [index for _, index in label_indices(examples, labels, lambda answer: (answer,))]
    return {"label_ids": np.array(ids, np.int32)}


def score(
    logits: np.ndarray, examples: Sequence[Example], labels: Sequence[str], metrics: Sequence[str]
) -> dict[str, float]:
    """Compares labels by their names; says so if all predictions are one."""
    answers = [example.answer for example in examples]
    predicted = predict(logits, labels)
    if len(set(predicted)) == 1 and set(answers) != set(predicted):
        notify_collapse(len(predicted), repr(predicted[0]))
    return scores(metrics, answers, predicted)


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Logits [N, L] -> probabilities [N, L]; a row adds up to 1."""
    from scipy.special import softmax

    return softmax(logits.astype(np.float64), axis=-1)


def predict(logits: np.ndarray, labels: Sequence[str]) -> list[str]:
    """The most likely label of each row of logits [N, L]."""
    return [labels[index] for index in logits.argmax(axis=-1)]


def decode(logits: np.ndarray, labels: Sequence[str]) -> list[Label]:
    """A `Label` for each row of logits [N, L]."""
    rows = zip(predict(logits, labels), probabilities(logits).tolist(), strict=True)
    return [Label(label, dict(zip(labels, row, strict=True))) for label, row in rows]


ANSWERS = Answers(
    read=read,
    names=names,
    describe=describe,
    fewest_labels=2,
    most_labels=MOST_LABELS,
    encode=encode,
    metrics=("accuracy", "macro_f1"),
    score=score,
    probabilities=probabilities,
    predict=predict,
    decode=decode,
    column="prediction",
)
