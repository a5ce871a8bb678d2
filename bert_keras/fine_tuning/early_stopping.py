"""The best weights by the official metric, and an end when it rises no more."""

import math
from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.errors import InputError
from bert_keras.notices import notify

LOG_NAME = "evaluations.json"


class Evaluated(NamedTuple):
    """What decides.

    Attributes:
        metric: the name of a score; more is better.
        examples: what differs where other examples are evaluated.
    """

    metric: str
    examples: str


class EarlyStopping:
    """Visits of a training (`bert_keras.training.visits`) that evaluate and keep the best model.

    What was found is noted in the folder, so that a run that was stopped goes on with it.

    Args:
        folder: that of the run.
        evaluated: what decides.
        every_steps: the steps between two evaluations.
        patience: so many evaluations without a better one end the training.
        score: returns the score of the model as it is, the same for all workers; None if it was
            stopped.
        keep: saves the model as it is; takes the step.
        is_chief: whether this process writes the files.

    Raises:
        InputError: the folder has scores of other examples.
    """

    def __init__(
        self,
        folder: str,
        evaluated: Evaluated,
        every_steps: int,
        patience: int,
        score: Callable[[], float | None],
        keep: Callable[[int], None],
        is_chief: bool,
    ):
        self.every_steps = every_steps
        self._folder = folder
        self._evaluated = evaluated
        self._patience = patience
        self._score = score
        self._keep = keep
        self._is_chief = is_chief
        self._scores = _read(folder, evaluated)

    @property
    def best_step(self) -> int | None:
        """The first step with the best score; None before there is one."""
        scores = self._scores
        return max(scores, key=lambda step: rank(scores[step]), default=None)

    @property
    def is_over(self) -> bool:
        """Whether the metric has not risen for as long as patience lasts."""
        later = [step for step in self._scores if step > (self.best_step or 0)]
        return len(later) >= self._patience

    def begin(self, start_step: int) -> None:
        """Forgets the evaluations of later steps: they are made again."""
        self._scores = {step: score for step, score in self._scores.items() if step <= start_step}

    def visit(self, step: int) -> None:
        """Evaluates the model after `step` steps, unless that was done."""
        if step in self._scores:
            return
        score = self._score()
        if score is None:
            return
        best = self._scores.get(self.best_step)
        before = "" if best is None else f", the best before {best:.4g}"
        notify(f"step {step}: {self._evaluated.metric} {score:.4g}{before}")
        if best is None or rank(score) > rank(best):
            self._keep(step)  # before it is noted: a run that is killed in between does both again
        self._scores[step] = score
        if self._is_chief:
            content = self._evaluated._asdict() | {"scores": self._scores}
            write_json(tf.io.gfile.join(self._folder, LOG_NAME), content)


def rank(score: float) -> float:
    """The score; one that is not a number is below all others."""
    return -math.inf if math.isnan(score) else score


def _read(folder: str, evaluated: Evaluated) -> dict[int, float]:
    path = tf.io.gfile.join(folder, LOG_NAME)
    if not tf.io.gfile.exists(path):
        return {}
    stored = read_json(path, dict)
    if stored | evaluated._asdict() != stored:
        raise InputError(
            "Early stopping goes on with the metric and the examples that it was begun with. "
            f"Received: others than those of {path}. Use a new --output_dir."
        )
    return {int(step): score for step, score in stored["scores"].items()}
