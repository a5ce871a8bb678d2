"""The training loop of the programs: `strategy.run` on every batch, reports, saves, clean stops."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import keras
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.objectives.mean import Mean
from bert_keras.training import step
from bert_keras.training.logs import TrainLog
from bert_keras.training.stop import StopRequest

TakeStep = Callable[[Any], tuple[dict[str, Mean], tf.Tensor]]


@dataclasses.dataclass(frozen=True)
class Plan:
    """From which step to which, and how often to save and to report."""

    start_step: int
    num_train_steps: int
    save_checkpoints_steps: int
    report_steps: int


def compile_train_step(
    strategy: tf.distribute.Strategy,
    model: keras.Model,
    objective: step.Objective,
    losses: Mapping[str, float],
    optimizer: keras.optimizers.Optimizer,
) -> TakeStep:
    """Returns a function of a distributed batch -> (dict of name -> Mean, gradient norm)."""

    @tf.function
    def run(features):
        means = strategy.run(step.train_step, (model, objective, losses, optimizer, features))
        return _summed(strategy, means), tf.identity(optimizer.gradient_norm)

    return run


def compile_evaluation_step(
    strategy: tf.distribute.Strategy, model: keras.Model, objective: step.Objective
) -> Callable[[Any], dict[str, Mean]]:
    """Returns a function of a distributed batch -> dict of name -> Mean over all replicas."""

    @tf.function(reduce_retracing=True)
    def run(features):
        return _summed(strategy, strategy.run(step.evaluation_step, (model, objective, features)))

    return run


def train(
    take_step: TakeStep,
    batches: Iterator,
    plan: Plan,
    learning_rate: Callable[[int], Any],
    losses: Iterable[str],
    save: Callable[[int], None],
    log: TrainLog,
    stop: StopRequest,
) -> int:
    """Trains from `plan.start_step` to `plan.num_train_steps`, or until a stop is requested.

    Args:
        take_step: function of a batch -> (dict of name -> Mean, gradient norm).
        batches: iterator of batches, the first one that of step `plan.start_step` + 1.
        learning_rate: function of the number of steps done -> rate of the next one.
        losses: the names of the means that are added to give `loss`.
        save: function of a step that writes its checkpoint.

    Returns:
        The number of steps done.

    Raises:
        InputError: a loss or the gradient is not finite. It is found before the next save, so that
            every checkpoint is good.
    """
    done = saved = plan.start_step
    pending = []
    while done < plan.num_train_steps and not stop.received:
        pending.append(take_step(next(batches)))
        done += 1
        log.advance()
        saving = done % plan.save_checkpoints_steps == 0
        if saving or done % plan.report_steps == 0:
            _report(pending, done, learning_rate, losses, log)
        if saving:
            save(done)
            saved = done
            log.restart_clock()
    if pending:
        _report(pending, done, learning_rate, losses, log)
    if saved < done:
        save(done)
    return done


def _summed(strategy, means):
    """Adds each replica's sums and counts."""
    add = tf.distribute.ReduceOp.SUM
    return {
        name: Mean(
            strategy.reduce(add, mean.total, axis=None), strategy.reduce(add, mean.count, axis=None)
        )
        for name, mean in means.items()
    }


def _report(pending, done, learning_rate, losses, log):
    """Checks and reports the pending steps, the last of which is step `done`; empties the list."""
    _check_finite(pending, done, learning_rate, losses)
    log.report(done, _values(pending, losses) | {"learning_rate": float(learning_rate(done - 1))})
    pending.clear()


def _values(pending, losses):
    """Returns the means over the pending steps, their loss, and the last gradient norm."""
    means = {}
    for name in pending[0][0]:
        total = sum(float(steps_means[name].total) for steps_means, _ in pending)
        count = sum(float(steps_means[name].count) for steps_means, _ in pending)
        means[name] = total / count if count else 0.0
    loss = sum(means[name] for name in losses)
    return {"loss": loss} | means | {"gradient_norm": float(pending[-1][1])}


def _check_finite(pending, last_step, learning_rate, losses):
    """Raises InputError for the first of the pending steps whose numbers are not finite."""
    first_step = last_step - len(pending) + 1
    norm_before = None
    for done, (means, gradient_norm) in enumerate(pending, start=first_step):
        norm = float(gradient_norm)
        values = {name: float(means[name].total) for name in losses} | {"the gradient norm": norm}
        bad = [f"{name} is {value}" for name, value in values.items() if not math.isfinite(value)]
        if bad:
            before = "" if norm_before is None else f"; the step before had norm {norm_before:.3g}"
            raise InputError(
                f"Losses and gradients must stay finite: at step {done} {' and '.join(bad)} "
                f"(learning rate {float(learning_rate(done - 1)):.3g}{before}). Nothing was saved "
                "since; the last checkpoint is good. Lower --learning_rate or lengthen "
                "--num_warmup_steps, in a new --output_dir."
            )
        norm_before = norm
