"""What a program hands over to be fine-tuned: a model to build, examples, scores."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import keras
import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples
from bert_keras.objectives.loss import Loss
from bert_keras.training.step import Objective

# Name of a model's output -> an array for each example, without batch axis, in the order of the
# examples. One with an axis of positions may be longer than its example.
Outputs = Mapping[str, Sequence[np.ndarray]]


class Evaluation(NamedTuple):
    """Examples with answers.

    Attributes:
        examples: what the model is to be run on.
        score: function of its outputs -> the official metrics, name -> value.
    """

    examples: EncodedExamples
    score: Callable[[Outputs], dict[str, float]]


class Prediction(NamedTuple):
    """Examples that need an answer.

    Attributes:
        examples: what the model is to be run on.
        write: function of its outputs and a folder that writes the answers there.
    """

    examples: EncodedExamples
    write: Callable[[Outputs, str], None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """A model and what it is to learn.

    Attributes:
        config: the model; it names the labels.
        build: makes the model of a configuration and a class of blocks.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: name of a mean -> how it becomes a term of the loss.
        accuracies: the names of other means that a plain line shows.
        train: what is learned; None if nothing is.
        evaluations: name of a set (`dev`) -> its examples and their scores.
        predictions: name of a set (`test`) -> its examples and where their answers go.
        metric: the name of the score that decides which weights are better; more is better.
    """

    config: BertConfig
    build: Callable[..., keras.Model]
    objective: Objective
    losses: Mapping[str, Loss]
    accuracies: Sequence[str]
    train: EncodedExamples | None
    evaluations: Mapping[str, Evaluation]
    predictions: Mapping[str, Prediction]
    metric: str

    def padded_to(self, length: int) -> "Task":
        """The same with examples that are all of one length."""
        return dataclasses.replace(
            self,
            train=self.train and self.train.padded_to(length),
            evaluations=_padded(self.evaluations, length),
            predictions=_padded(self.predictions, length),
        )


def _padded(sets, length):
    return {
        name: one._replace(examples=one.examples.padded_to(length)) for name, one in sets.items()
    }
