"""A run in a folder: trains, goes on after any stop, evaluates. It knows no task.

A program brings the model, the objective and the batches; what happens to them is the same for all.
"""

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from bert_keras.checkpoints.pretrained import load_noticed
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.objectives.loss import Loss
from bert_keras.training import agreement, evaluation, logs, loop, run_folder, run_state
from bert_keras.training.batches import evaluation_batches, training_batches
from bert_keras.training.loop_settings import LoopSettings
from bert_keras.training.step import Objective
from bert_keras.training.stop import SharedStop, StopRequest
from bert_keras.training.strategy import worker_of
from bert_keras.training.visits import NoVisits, Visits
from bert_keras.training.watch import Check


@dataclasses.dataclass(frozen=True, kw_only=True)
class Training:
    """What a training needs beside the model.

    Attributes:
        schedule: function of the number of steps done -> learning rate of the next one.
        make_optimizer: function of the schedule -> optimizer; called where its variables belong.
        dataset: function of the number of steps done, `worker_index` and `num_workers` -> that
            worker's rows of the batches of the steps that follow.
        batch_size: examples of a step, over all replicas.
        length: positions of an example, padding included.
        num_train_steps: the steps of the whole run.
        loop: when the run saves, reports and stops.
        decisive: flag -> value of all that the weights depend on, `num_train_steps` among them.
        defaults: flag -> value that it has in runs which were begun before there was this flag.
        step_options: options of `step.train_step`.
        checks: look at every report and may have something to say about it.
        visits: look at the model in between, and may end the training.
    """

    schedule: keras.optimizers.schedules.LearningRateSchedule
    make_optimizer: Callable[[Any], keras.optimizers.Optimizer]
    dataset: Callable[..., tf.data.Dataset]
    batch_size: int
    length: int
    num_train_steps: int
    loop: LoopSettings
    decisive: Mapping[str, Any]
    defaults: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    step_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    checks: Sequence[Check] = ()
    visits: Visits = NoVisits()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Session:
    """A model in its folder.

    Attributes:
        folder: an existing folder, for checkpoints, reports and results; all workers see it, and
            the chief writes there.
        strategy: the devices; the model was made in its scope.
        model: a functional model that takes its inputs by name from the features of a batch.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: name of a mean -> how it becomes a term of the loss.
        accuracies: the names of other means that a plain line shows.
        initialize: gives the model its first weights, while the folder holds no checkpoint; None:
            it keeps those that it was made with.
        stop: ends training and evaluation early.
        check_data: called when a record is found to be damaged; raises an InputError that names
            the file.
    """

    folder: str
    strategy: tf.distribute.Strategy
    model: keras.Model
    objective: Objective
    losses: Mapping[str, Loss]
    accuracies: Sequence[str]
    initialize: Callable[[keras.Model], None] | None
    stop: StopRequest | SharedStop
    check_data: Callable[[], Any]

    @property
    def is_chief(self) -> bool:
        """Whether this process writes the files of the run; others train with it."""
        return worker_of(self.strategy).is_chief

    def train(self, training: Training) -> int:
        """Trains to the last step, from the newest checkpoint if there is one.

        Returns:
            The number of steps done.

        Raises:
            InputError: the folder belongs to another run, a record is damaged, a loss is not
                finite, or a file cannot be written.
            tf.errors.OpError: another worker is gone; `agreement.named_lost_workers` names it.
        """
        optimizer = self._optimizer(training)
        variables = run_state.run_variables(self.model, optimizer)
        start_step = self._start(variables, training)
        if start_step == training.num_train_steps:
            notify(f"{self.folder} is finished: all {start_step} steps are done.")
            return start_step
        with self._named_damage():
            step = self._train_from(start_step, training, optimizer, variables)
        if step < training.num_train_steps:
            if training.visits.is_over:
                notify(f"ended at step {step} of {training.num_train_steps}")
            else:
                self._notify_of_stop(step, training)
        elif not self.is_chief:
            notify(f"all {step} steps are done; the chief has the reports and the model")
        return step

    def step_taker(self, training: Training) -> Callable[[], None]:
        """Returns a function that takes one step of the training; nothing is written."""
        batches = self._training_batches(training, 0)
        run = self._compiled_step(training, self._optimizer(training))
        return lambda: run(next(batches)).gradient_norm.numpy()

    def load(self) -> int:
        """Reads the weights to evaluate: of the newest checkpoint, else the first ones.

        Returns:
            The number of steps that the run has done.

        Raises:
            InputError: there is neither.
        """
        found = run_state.newest_readable(self.folder, notify)
        if found is None and not self.initialize:
            raise InputError(
                f"There is nothing to evaluate: {self.folder} holds no checkpoint and "
                "--init_checkpoint is not given. Train with --do_train, or name one."
            )
        step, path = found or (0, None)
        agreement.check_same(self.strategy, "the newest checkpoint", path)
        if path:
            load_noticed(self.model, path)
        else:
            self.initialize(self.model)
        return step

    def evaluate(
        self,
        dataset: Callable[..., tf.data.Dataset],
        batch_size: int,
        step: int,
        max_steps: int | None = None,
    ) -> dict[str, float] | None:
        """Scores the model after `step` steps; prints, writes and returns the results.

        Args:
            dataset: function of `worker_index` and `num_workers` -> that worker's rows of one pass
                of batches.
            batch_size: examples of a batch, over all replicas.
            step: the number of steps that the model was trained for.
            max_steps: how many batches are used; None for all.

        Returns:
            Name -> value; None if a stop was requested before the end.
        """
        run = loop.compile_evaluation_step(self.strategy, self.model, self.objective)

        def means_of(features):
            means, num_stops = run(features, tf.constant(self.stop.flag))
            self.stop.note(num_stops)
            return means

        batches = evaluation_batches(self.strategy, dataset, batch_size)
        until_stop = itertools.takewhile(lambda _: not self.stop.reason, batches)
        with self._named_damage():
            results = evaluation.evaluate(means_of, until_stop, self.losses, max_steps)
        if self.stop.reason:
            notify(f"Stopped by {self.stop.reason} in the evaluation: no results.")
            return None
        results["global_step"] = step
        if self.is_chief:
            evaluation.write_results(self.folder, results, step)
        return results

    def _optimizer(self, training):
        with self.strategy.scope():
            optimizer = training.make_optimizer(training.schedule)
            optimizer.build(self.model.trainable_variables)
        return optimizer

    def _start(self, variables, training):
        """Restores the newest checkpoint, or begins a new run; returns the steps done."""
        step, path = run_state.newest_readable(self.folder, notify) or (0, None)
        agreement.check_same(self.strategy, "the newest checkpoint", path)
        if path:
            run_folder.check_same_run(
                self.folder, training.decisive, step, notify, training.defaults
            )
            run_state.restore(path, variables)
            notify(f"continuing from {path}")
        elif self.initialize:
            self.initialize(self.model)
        if self.is_chief:
            run_state.remove_unfinished(self.folder)
            run_folder.write_settings(self.folder, training.decisive)
        return step

    def _train_from(self, start_step, training, optimizer, variables):
        """Runs the loop; returns the steps done."""
        settings = training.loop
        visits = training.visits
        plan = loop.Plan.of(settings, start_step, training.num_train_steps, visits.every_steps)
        run = self._compiled_step(training, optimizer)
        batches = self._training_batches(training, start_step)
        if self.is_chief:
            notify("compiling the model, in the first step; that may take a minute")
        with self._log(training, start_step) as log:
            if settings.iterations_per_loop == 1:
                take_steps = loop.one_by_one(run, batches, self.stop, log)
            else:
                take_steps = loop.in_graph(run, batches, self.stop)
            save = functools.partial(self._save, training, variables)
            return loop.train(
                take_steps, plan, training.schedule, self.losses, save, log, self.stop, visits
            )

    def _save(self, training, variables, step):
        """The chief writes a checkpoint; the others wait until it is there."""
        if self.is_chief:
            settings = training.loop
            run_state.save(
                self.folder,
                step,
                variables=variables,
                num_to_keep=settings.keep_checkpoint_max,
                keep_every_steps=settings.keep_checkpoint_every_steps,
            )
        agreement.meet(self.strategy)

    def _compiled_step(self, training, optimizer):
        return loop.compile_train_step(
            self.strategy,
            self.model,
            self.objective,
            self.losses,
            optimizer,
            **training.step_options,
        )

    def _training_batches(self, training, start_step):
        dataset = functools.partial(training.dataset, start_step)
        return iter(training_batches(self.strategy, dataset, training.batch_size))

    def _log(self, training, start_step):
        """Where reports go: the chief's; its numbers are those of all workers."""
        if not self.is_chief:
            return logs.NoLog()
        return logs.TrainLog(
            self.folder,
            start_step,
            training.num_train_steps,
            training.batch_size,
            training.batch_size * training.length,
            shown=("loss", *self.accuracies, "learning_rate"),
            checks=training.checks,
        )

    def _notify_of_stop(self, step, training):
        reason = self.stop.reason or f"--stop_after_steps={training.loop.stop_after_steps}"
        if step:
            notify(
                f"Stopped by {reason} at step {step} of {training.num_train_steps}, which is saved "
                f"in {self.folder}. The same command goes on from there."
            )
        else:
            notify(
                f"Stopped by {reason} before the first step in {self.folder}: nothing is saved "
                "there. The same command begins it again."
            )

    @contextlib.contextmanager
    def _named_damage(self) -> Iterator[None]:
        """Names a damaged file, which TensorFlow does not."""
        try:
            yield
        except tf.errors.DataLossError:
            self.check_data()
            raise
