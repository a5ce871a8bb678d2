"""The best weights by the official metric, and an end when it rises no more."""

from collections.abc import Callable, Mapping

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.notices import notify

LOG_NAME = "evaluations.json"


class EarlyStopping:
    """Visits of a training (`bert_keras.training.visits`) that evaluate and keep the best model.

    What was found is noted in the folder, so that a run that was stopped goes on with it.

    Args:
        folder: that of the run.
        start_step: the step that the run goes on from; evaluations of later ones are made again.
        metric: the name of the score that decides; more is better.
        every_steps: the steps between two evaluations.
        patience: so many evaluations without a better one end the training.
        evaluate: returns the scores of the model as it is, name -> value; None if it was stopped.
        keep: saves the model as it is.
        is_chief: whether this process writes the files.
    """

    def __init__(
        self,
        folder: str,
        start_step: int,
        metric: str,
        every_steps: int,
        patience: int,
        evaluate: Callable[[], Mapping[str, float] | None],
        keep: Callable[[], None],
        is_chief: bool,
    ):
        self.every_steps = every_steps
        self._path = tf.io.gfile.join(folder, LOG_NAME)
        self._metric = metric
        self._patience = patience
        self._evaluate = evaluate
        self._keep = keep
        self._is_chief = is_chief
        scores = _scores_of(folder)
        self._scores = {step: scores[step] for step in scores if step <= start_step}

    @property
    def best_step(self) -> int | None:
        """The first step with the best score; None before there is one."""
        return _best_step(self._scores)

    @property
    def is_over(self) -> bool:
        """Whether the metric has not risen for as long as patience lasts."""
        later = [step for step in self._scores if step > (self.best_step or 0)]
        return len(later) >= self._patience

    def visit(self, step: int) -> None:
        """Evaluates the model after `step` steps, unless that was done."""
        if step in self._scores:
            return
        scores = self._evaluate()
        if scores is None:
            return
        best = self._scores.get(self.best_step)
        score = scores[self._metric]
        notify(f"step {step}: {self._metric} {score:.4g}, the best so far {_shown(best)}")
        if best is None or score > best:
            self._keep()  # before it is noted: a run that is killed in between does both again
        self._scores[step] = score
        if self._is_chief:
            write_json(self._path, self._scores)


def best_step_of(folder: str) -> int | None:
    """The step whose weights a run kept as the best; None if it did not look for them."""
    return _best_step(_scores_of(folder))


def _scores_of(folder: str) -> dict[int, float]:
    path = tf.io.gfile.join(folder, LOG_NAME)
    scores = read_json(path, dict) if tf.io.gfile.exists(path) else {}
    return {int(step): score for step, score in scores.items()}


def _best_step(scores: Mapping[int, float]) -> int | None:
    return max(scores, key=scores.get, default=None)


def _shown(best: float | None) -> str:
    return "none" if best is None else f"{best:.4g}"
