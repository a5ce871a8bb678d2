"""The training loop of the programs: `strategy.run` on every batch, reports, saves, clean stops."""

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.objectives.loss import Loss
from bert_keras.objectives.mean import Mean
from bert_keras.training import step
from bert_keras.training.logs import NoLog, TrainLog
from bert_keras.training.loop_settings import LoopSettings
from bert_keras.training.stop import SharedStop, StopRequest
from bert_keras.training.visits import Visits

SECONDS_PER_HOUR = 3600


class Steps(NamedTuple):
    """What one step gave, or several in a row: then every number is a vector [steps].

    Attributes:
        means: dict of name -> Mean over all replicas.
        gradient_norm: of the gradient before clipping.
        num_stops: how many replicas were asked to stop.
    """

    means: dict[str, Mean]
    gradient_norm: tf.Tensor
    num_stops: tf.Tensor


TakeSteps = Callable[[int], Steps]  # of a number of steps


@dataclasses.dataclass(frozen=True)
class Plan:
    """From which step to which, and what happens on the way.

    `end_step` is the last step of this command, which may lie before that of the run.
    """

    start_step: int
    end_step: int
    save_checkpoints_steps: int
    report_steps: int
    iterations_per_loop: int = 1
    max_hours: float = 0.0
    visit_steps: int = 0

    @classmethod
    def of(
        cls,
        settings: LoopSettings,
        start_step: int,
        num_train_steps: int,
        visit_steps: int = 0,
    ) -> "Plan":
        """The plan of one command, which `stop_after_steps` may end before the run."""
        end_step = num_train_steps
        if settings.stop_after_steps:
            end_step = min(end_step, start_step + settings.stop_after_steps)
        return cls(
            start_step,
            end_step,
            settings.save_checkpoints_steps,
            settings.report_steps,
            settings.iterations_per_loop,
            settings.max_hours,
            visit_steps,
        )

    def num_steps_at_once(self, done: int) -> int:
        """How many steps may follow `done` steps before something is to be done."""
        intervals = (self.save_checkpoints_steps, self.report_steps, self.visit_steps)
        until_event = min(every - done % every for every in intervals if every)
        return min(self.iterations_per_loop, until_event, self.end_step - done)

    def is_visit(self, done: int) -> bool:
        """Whether the model is looked at after `done` steps."""
        return self.visit_steps > 0 and done > 0 and done % self.visit_steps == 0

    def is_save(self, done: int) -> bool:
        """Whether a checkpoint is saved after `done` steps: before every visit, too."""
        return self.is_visit(done) or done % self.save_checkpoints_steps == 0

    def is_out_of_time(self, done: int, seconds: float) -> bool:
        """Whether `max_hours` have passed and steps are left."""
        return 0 < self.max_hours * SECONDS_PER_HOUR <= seconds and done < self.end_step


def compile_train_step(
    strategy: tf.distribute.Strategy,
    model: keras.Model,
    objective: step.Objective,
    losses: Mapping[str, Loss],
    optimizer: keras.optimizers.Optimizer,
    **options,
) -> Callable[..., Steps]:
    """Returns a function of a distributed batch and `StopRequest.flag` (or none) -> Steps of one.

    `options` are those of `step.train_step`.
    """

    def on_replica(features, flag):
        means = step.train_step(model, objective, losses, optimizer, features, **options)
        means, num_stops = _summed((means, flag))
        return Steps(means, tf.convert_to_tensor(optimizer.gradient_norm), num_stops)

    @tf.function(reduce_retracing=True)  # batches may differ in length
    def run(features, flag=0.0):
        return _of_first_replica(strategy, strategy.run(on_replica, (features, flag)))

    return run


def compile_evaluation_step(
    strategy: tf.distribute.Strategy, model: keras.Model, objective: step.Objective
) -> Callable[..., tuple[dict[str, Mean], tf.Tensor]]:
    """Returns a function of a distributed batch and `StopRequest.flag` (or none).

    It gives a dict of name -> Mean over all replicas, and how many replicas were asked to stop.
    """

    def on_replica(features, flag):
        return _summed((step.evaluation_step(model, objective, features), flag))

    @tf.function(reduce_retracing=True)
    def run(features, flag=0.0):
        return _of_first_replica(strategy, strategy.run(on_replica, (features, flag)))

    return run


def one_by_one(
    run: Callable[..., Steps],
    batches: Iterator,
    stop: StopRequest | SharedStop,
    log: TrainLog | NoLog,
) -> TakeSteps:
    """Returns a function that takes one step, on the next of `batches`."""

    def take(_):
        with log.waiting():
            features = next(batches)
        taken = run(features, tf.constant(stop.flag))
        stop.note(taken.num_stops)
        return taken

    return take


def in_graph(
    run: Callable[..., Steps], batches: Iterator, stop: StopRequest | SharedStop
) -> TakeSteps:
    """Returns a function that takes several steps before it returns to the host."""

    @tf.function(autograph=False)
    def run_all(num_steps, flag):
        layout = []  # what a step gives, known as soon as the loop is traced

        def take(index, rows):
            taken = run(next(batches), flag)
            layout[:] = [taken]
            return index + 1, rows.write(index, tf.stack(tf.nest.flatten(taken)))

        rows = tf.TensorArray(tf.float32, size=num_steps)
        _, rows = tf.while_loop(
            lambda index, _: index < num_steps, take, (0, rows), parallel_iterations=1
        )
        return tf.nest.pack_sequence_as(layout[0], tf.unstack(rows.stack(), axis=1))

    def take(num_steps):
        taken = run_all(tf.constant(num_steps), tf.constant(stop.flag))
        stop.note(tf.reduce_max(taken.num_stops))
        return taken

    return take


def train(
    take_steps: TakeSteps,
    plan: Plan,
    learning_rate: Callable[[int], Any],
    losses: Iterable[str],
    save: Callable[[int], None],
    log: TrainLog | NoLog,
    stop: StopRequest | SharedStop,
    visits: Visits,
) -> int:
    """Trains from `plan.start_step` to `plan.end_step`, or until it is stopped or over.

    Args:
        take_steps: function of a number of steps, of which it takes that many.
        learning_rate: function of the number of steps done -> rate of the next one.
        losses: the names of the means that are added to give `loss`.
        save: function of a step that writes its checkpoint.
        visits: what is done in between, and at the first step: a kill may have come before it.

    Returns:
        The number of steps done.

    Raises:
        InputError: a loss or the gradient is not finite; found before a save: checkpoints are good.
    """
    done = saved = plan.start_step
    pending, begin = [], time.monotonic()
    visits.begin(done)
    if plan.is_visit(done):
        visits.visit(done)
    while done < plan.end_step and not stop.reason and not visits.is_over:
        num_steps = plan.num_steps_at_once(done)
        pending.append(take_steps(num_steps))
        done += num_steps
        log.advance(num_steps)
        if plan.is_save(done) or done % plan.report_steps == 0:
            _report(pending, done, learning_rate, losses, log)
        if plan.is_save(done):
            save(done)
            saved = done
            if plan.is_visit(done):
                visits.visit(done)
            log.restart_clock()
        if plan.is_out_of_time(done, time.monotonic() - begin):
            stop.request(f"--max_hours={plan.max_hours:g}")
    if pending:
        _report(pending, done, learning_rate, losses, log)
    if saved < done:
        save(done)
    return done


def _summed(values):
    """The same structure of scalars, each added over all replicas: all of them at once."""
    total = step.add_over_replicas(tf.stack(tf.nest.flatten(values)))
    return tf.nest.pack_sequence_as(values, tf.unstack(total))


def _of_first_replica(strategy, values):
    """What every replica has alike, once."""
    return tf.nest.map_structure(
        lambda value: strategy.experimental_local_results(value)[0], values
    )


def _report(pending, done, learning_rate, losses, log):
    """Checks and reports the pending steps, the last of which is step `done`; empties the list."""
    steps = tf.nest.map_structure(_joined, *pending)
    _check_finite(steps, done, learning_rate, losses)
    log.report(done, _values(steps, losses) | {"learning_rate": float(learning_rate(done - 1))})
    pending.clear()


def _joined(*values):
    return np.concatenate([np.reshape(value, [-1]) for value in values]).astype(np.float64)


def _values(steps, losses):
    """Returns the means over the steps, their loss, and the last gradient norm."""
    means = {}
    for name, mean in steps.means.items():
        total, count = float(mean.total.sum()), float(mean.count.sum())
        means[name] = total / count if count else 0.0
    loss = sum(means[name] for name in losses)
    return {"loss": loss} | means | {"gradient_norm": float(steps.gradient_norm[-1])}


def _check_finite(steps, last_step, learning_rate, losses):
    """Raises InputError for the first of the steps whose numbers are not finite."""
    norms = steps.gradient_norm
    numbers = {name: steps.means[name].total for name in losses} | {"the gradient norm": norms}
    finite = np.all([np.isfinite(values) for values in numbers.values()], axis=0)
    if finite.all():
        return
    index = int(np.argmin(finite))
    done = last_step - len(norms) + 1 + index
    bad = [f"{name} is {v[index]}" for name, v in numbers.items() if not math.isfinite(v[index])]
    before = f"; the step before had norm {norms[index - 1]:.3g}" if index else ""
    raise InputError(
        f"Losses and gradients must stay finite: at step {done} {' and '.join(bad)} "
        f"(learning rate {float(learning_rate(done - 1)):.3g}{before}). Nothing was saved "
        "since, so that every checkpoint is good. Lower --learning_rate or lengthen "
        "the warm-up, in a new --output_dir."
    )
