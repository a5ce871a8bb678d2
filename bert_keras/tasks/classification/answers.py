"""The kinds of answers: what differs between a label, a set of labels and a number."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bert_keras.errors import InputError
from bert_keras.tasks.classification.reading import Example
from bert_keras.tasks.tables import Row


class Answers(NamedTuple):
    """One kind. N examples, L labels.

    Attributes:
        read: function of a row and names of columns -> the answer that stands there.
        names: function of examples -> the labels among their answers, sorted.
        describe: function of examples -> what answers they have, in words.
        fewest_labels, most_labels: how many a model may have.
        encode: function of examples and labels -> name of a feature -> array [N] or [N, L].
        metrics: the scores of data that have no official ones; the first decides.
        score: function of logits [N, L], examples, labels and metrics -> metric -> value.
        probabilities: function of logits [N, L] -> one for each label, [N, L]; [N, 0] if there are
            none.
        predict: function of logits [N, L] and labels -> N answers as text.
        decode: function of logits [N, L] and labels -> N answers with their probabilities.
        column: what the answers are called in a table of predictions.
    """

    read: Callable[[Row, Sequence[str]], Any]
    names: Callable[[Sequence[Example]], tuple[str, ...]]
    describe: Callable[[Sequence[Example]], str]
    fewest_labels: int
    most_labels: int
    encode: Callable[[Sequence[Example], Sequence[str]], dict[str, np.ndarray]]
    metrics: tuple[str, ...]
    score: Callable[[np.ndarray, Sequence[Example], Sequence[str], Sequence[str]], dict[str, float]]
    probabilities: Callable[[np.ndarray], np.ndarray]
    predict: Callable[[np.ndarray, Sequence[str]], list[str]]
    decode: Callable[[np.ndarray, Sequence[str]], list[Any]]
    column: str


def label_indices(
    examples: Sequence[Example],
    labels: Sequence[str],
    labels_of: Callable[[Any], Sequence[str]],
) -> Iterator[tuple[int, int]]:
    """Yields, for each label that `labels_of` finds in an answer, whose it is and which it is.

    Raises:
        InputError, which names file, line, value and labels: it is none of them.
    """
    index_of = {label: index for index, label in enumerate(labels)}
    for number, example in enumerate(examples):
        for label in labels_of(example.answer):
            if label not in index_of:
                raise InputError(
                    f"{example.place}: the label must be one of {', '.join(labels):.500}. "
                    f"Received: {label!r}. --labels names those that the training set lacks; for "
                    "numbers there is --problem_type=regression."
                )
            yield number, index_of[label]
