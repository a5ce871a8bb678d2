"""A run in a folder: trains, goes on after any stop, evaluates. It knows no task.

A program brings the model, the objective and the batches; what happens to them is the same for all.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from bert_keras.checkpoints import tf1
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.training import evaluation, logs, loop, run_folder, run_state
from bert_keras.training.step import Objective
from bert_keras.training.stop import StopRequest


@dataclasses.dataclass(frozen=True, kw_only=True)
class Training:
    """What a training needs beside the model.

    Attributes:
        schedule: function of the number of steps done -> learning rate of the next one.
        make_optimizer: function of the schedule -> optimizer; called where its variables belong.
        dataset: function of the number of steps done -> batches of the steps that follow.
        decisive: flag -> value of all that the weights depend on, `num_train_steps` among them.
        examples_per_step: the global batch size.
        tokens_per_step: the positions of a global batch, padding included.
        num_train_steps: the steps of the whole run.
        save_checkpoints_steps: steps between checkpoints.
        keep_checkpoint_max: checkpoints that are kept; 0 keeps all.
        report_steps: steps between reports.
    """

    schedule: keras.optimizers.schedules.LearningRateSchedule
    make_optimizer: Callable[[Any], keras.optimizers.Optimizer]
    dataset: Callable[[int], tf.data.Dataset]
    decisive: Mapping[str, Any]
    examples_per_step: int
    tokens_per_step: int
    num_train_steps: int
    save_checkpoints_steps: int
    keep_checkpoint_max: int
    report_steps: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Session:
    """A model in its folder.

    Attributes:
        folder: an existing folder, for checkpoints, reports and results.
        strategy: the devices; the model was made in its scope.
        model: a functional model that takes its inputs by name from the features of a batch.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: name of a mean -> what its count is enlarged by; their sum is the loss.
        accuracies: the names of other means that a plain line shows.
        init_checkpoint: where the weights come from while the folder holds no checkpoint.
        stop: ends training and evaluation early.
        check_data: called when a record is found to be damaged; raises an InputError that names
            the file.
    """

    folder: str
    strategy: tf.distribute.Strategy
    model: keras.Model
    objective: Objective
    losses: Mapping[str, float]
    accuracies: Sequence[str]
    init_checkpoint: str | None
    stop: StopRequest
    check_data: Callable[[], Any]

    def train(self, training: Training) -> int:
        """Trains to the last step, from the newest checkpoint if there is one.

        Returns:
            The number of steps done.

        Raises:
            InputError: the folder belongs to another run, a record is damaged, a loss is not
                finite, or a file cannot be written.
        """
        with self.strategy.scope():
            optimizer = training.make_optimizer(training.schedule)
            optimizer.build(self.model.trainable_variables)
        variables = run_state.run_variables(self.model, optimizer)
        start_step = self._start(variables, training.decisive)
        if start_step == training.num_train_steps:
            notify(f"{self.folder} is finished: all {start_step} steps are done.")
            return start_step
        step = self._train_from(start_step, training, optimizer, variables)
        if self.stop.received and step:
            notify(
                f"Stopped by {self.stop.received.name} at step {step} of "
                f"{training.num_train_steps}, which is saved in {self.folder}. "
                "The same command goes on from there."
            )
        elif self.stop.received:
            notify(
                f"Stopped by {self.stop.received.name} before the first step: nothing is saved. "
                "The same command begins again."
            )
        return step

    def load(self) -> int:
        """Reads the weights to evaluate: of the newest checkpoint, else of `init_checkpoint`.

        Returns:
            The number of steps that the run has done.

        Raises:
            InputError: there is neither.
        """
        found = run_state.newest_readable(self.folder, notify)
        if found is None and not self.init_checkpoint:
            raise InputError(
                f"There is nothing to evaluate: {self.folder} holds no checkpoint and "
                "--init_checkpoint is not given. Train with --do_train, or name one."
            )
        step, path = found or (0, self.init_checkpoint)
        self._load_weights(path)
        return step

    def evaluate(
        self, dataset: tf.data.Dataset, step: int, max_steps: int | None = None
    ) -> dict[str, float] | None:
        """Scores the model after `step` steps; prints, writes and returns the results.

        Args:
            dataset: one pass of batches.
            step: the number of steps that the model was trained for.
            max_steps: how many batches are used; None for all.

        Returns:
            Name -> value; None if a stop was requested before the end.
        """
        batches = itertools.takewhile(lambda _: not self.stop.received, self._batches(dataset))
        evaluation_step = loop.compile_evaluation_step(self.strategy, self.model, self.objective)
        results = evaluation.evaluate(evaluation_step, batches, self.losses, max_steps)
        if self.stop.received:
            notify(f"Stopped by {self.stop.received.name} in the evaluation: no results.")
            return None
        results["global_step"] = step
        lines = evaluation.result_lines(results)
        run_folder.write_text(self.folder, evaluation.RESULTS_NAME, lines)
        logs.write_events(tf.io.gfile.join(self.folder, "eval"), step, results)
        print(f"evaluated at step {step}:\n{lines}", end="", flush=True)
        return results

    def _start(self, variables, decisive):
        """Restores the newest checkpoint, or begins a new run; returns the steps done."""
        step = 0
        found = run_state.newest_readable(self.folder, notify)
        if found:
            step, path = found
            run_folder.check_same_run(self.folder, decisive, step, notify)
            run_state.restore(path, variables)
            notify(f"continuing from {path}")
        elif self.init_checkpoint:
            self._load_weights(self.init_checkpoint)
        run_state.remove_unfinished(self.folder)
        run_folder.write_settings(self.folder, decisive)
        return step

    def _train_from(self, start_step, training, optimizer, variables):
        """Runs the loop; returns the steps done."""
        take_step = loop.compile_train_step(
            self.strategy, self.model, self.objective, self.losses, optimizer
        )
        save = functools.partial(
            run_state.save,
            self.folder,
            variables=variables,
            num_to_keep=training.keep_checkpoint_max,
        )
        plan = loop.Plan(
            start_step,
            training.num_train_steps,
            training.save_checkpoints_steps,
            training.report_steps,
        )
        batches = self._batches(training.dataset(start_step))
        with logs.TrainLog(
            self.folder,
            start_step,
            training.num_train_steps,
            training.examples_per_step,
            training.tokens_per_step,
            shown=("loss", *self.accuracies, "learning_rate"),
        ) as log:
            return loop.train(
                take_step, batches, plan, training.schedule, self.losses, save, log, self.stop
            )

    def _batches(self, dataset):
        """The batches of all devices. TensorFlow does not name a damaged file: it is looked for."""
        try:
            yield from self.strategy.experimental_distribute_dataset(dataset)
        except tf.errors.DataLossError:
            self.check_data()
            raise

    def _load_weights(self, checkpoint: str) -> None:
        for line in tf1.load_weights(self.model, checkpoint).notices(checkpoint):
            notify(line)
