"""What a program hands over to be fine-tuned: a model to build, examples, scores."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import keras

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.objectives.loss import Loss
from bert_keras.tasks.task import Task
from bert_keras.training.step import Objective


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
        files: function of its outputs -> the answers, name of a file -> its text.
        submit: function of these files that does more with them, once they are there.
    """

    examples: EncodedExamples
    files: Callable[[Outputs], dict[str, str]]
    submit: Callable[[dict[str, str]], None] = lambda files: None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Assignment:
    """A model and what it is to learn.

    Attributes:
        task: how texts come to the model, and answers from it.
        config: the model; it names the labels.
        build: makes the model of a configuration.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: name of a mean -> how it becomes a term of the loss.
        accuracies: the names of other means that a plain line shows.
        train: what is learned; None if nothing is.
        evaluations: name of a set (`dev`) -> its examples and their scores.
        predictions: name of a set (`test`) -> its examples and where their answers go.
        metric: the name of the score that decides which weights are better; more is better.
    """

    task: Task
    config: BertConfig
    build: Callable[[BertConfig], keras.Model]
    objective: Objective
    losses: Mapping[str, Loss]
    accuracies: Sequence[str]
    train: EncodedExamples | None
    evaluations: Mapping[str, Evaluation]
    predictions: Mapping[str, Prediction]
    metric: str
