"""The job of every fine-tuning program: settings in; a model, its scores and its answers out."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from bert_keras import command_line, flags
from bert_keras.checkpoints import pretrained
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.fine_tuning import plan, predicting
from bert_keras.fine_tuning.comparison import Results, Runner
from bert_keras.fine_tuning.early_stopping import EarlyStopping, best_step_of
from bert_keras.fine_tuning.seeds import run_seeds
from bert_keras.fine_tuning.start import Start, check_fit, describe_run, initialize, read_start
from bert_keras.fine_tuning.task import Task
from bert_keras.layers.block import TransformerBlock
from bert_keras.models.freezing import freeze
from bert_keras.notices import notify
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import agreement, evaluation, preflight, run_folder, run_state
from bert_keras.training.precision import POLICIES, precision
from bert_keras.training.session import Session
from bert_keras.training.stop import SharedStop, StopRequest
from bert_keras.training.strategy import describe, strategy_for, worker_of

ReadTask = Callable[[Any, BertConfig, WordPieceTokenizer], Task]
RunAll = Callable[[Runner, Any], Results | None]


def run(
    settings: Any, read_task: ReadTask, stop: StopRequest, run_all: RunAll = run_seeds
) -> Results | None:
    """Fine-tunes, evaluates and predicts as the `FineTuningSettings` say, until a stop.

    Args:
        settings: those of a program.
        read_task: function of them, a configuration and a tokenizer -> what is to be learned.
        stop: ends everything early.
        run_all: function of a `Runner` and the settings that makes all runs of the command.

    Returns:
        The results of the evaluation, name -> value; None without one.

    Raises:
        InputError: the settings, or the files that they name, cannot work.
    """
    check_settings(settings)
    # Before anything else touches the devices: their memory is set up here.
    strategy = strategy_for(settings)
    notify(describe(strategy, settings.train_batch_size))
    with agreement.named_lost_workers(strategy):
        agreement.check_same(strategy, "the flags", dataclasses.asdict(settings))
        results = _run_on(strategy, settings, read_task, stop, run_all)
        agreement.meet(strategy)  # a worker whose chief has ended first complains
    return results


def check_settings(settings: Any) -> None:
    """Raises InputError for settings that can work with no file."""
    if not any((settings.do_train, settings.do_eval, settings.do_predict)):
        raise InputError(
            "At least one of `do_train`, `do_eval` or `do_predict` must be True. Received: none"
        )
    preflight.check_given(settings, ("output_dir",))
    flags.check_numbers(settings)
    if settings.do_train:
        preflight.check_positive(settings, ("learning_rate", "num_train_epochs"))
    preflight.check_positive(settings, ("layer_rate_decay",))
    preflight.check_one_of(settings, "learning_rate_schedule", plan.SCHEDULES)
    preflight.check_one_of(settings, "precision", POLICIES)
    preflight.check_multiple(settings, "keep_checkpoint_every_steps", "save_checkpoints_steps")


def _run_on(strategy, settings, read_task, stop, run_all):
    start = read_start(settings)
    check_fit(start, settings.max_seq_length)
    task = read_task(settings, start.config, start.tokenizer)
    if isinstance(strategy, tf.distribute.TPUStrategy):
        task = task.padded_to(settings.max_seq_length)
    run_one = functools.partial(_run_one, strategy, task, stop)
    return run_all(Runner(strategy, start, task, run_one), settings)


def _run_one(strategy, task, stop, settings, start):
    _check_batches(settings, strategy.num_replicas_in_sync)
    session = _session(strategy, settings, start, task, stop)
    if session.is_chief:
        run_folder.make(settings.output_dir)
    writes = settings.do_train and session.is_chief
    with run_folder.lock(settings.output_dir) if writes else contextlib.nullcontext():
        return Run(session, settings, start, task).all()


def _check_batches(settings, num_replicas):
    for name, is_used, num_parts in (
        ("train_batch_size", settings.do_train, settings.gradient_accumulation_steps),
        ("eval_batch_size", settings.do_eval, 1),
        ("predict_batch_size", settings.do_predict, 1),
    ):
        if is_used:
            preflight.check_batch_size(getattr(settings, name), num_replicas, num_parts, name)


def _session(strategy, settings, start, task, stop):
    """A new model in its folder."""
    with strategy.scope(), precision(settings.precision):
        keras.utils.set_random_seed(settings.random_seed)
        model = task.build(task.config, TransformerBlock)
    if settings.num_frozen_layers:
        freeze(model, settings.num_frozen_layers)
    return Session(
        folder=settings.output_dir,
        strategy=strategy,
        model=model,
        objective=task.objective,
        losses=task.losses,
        accuracies=task.accuracies,
        initialize=functools.partial(initialize, start=start, config=task.config),
        stop=stop if worker_of(strategy).num_workers == 1 else SharedStop(stop),
        check_data=lambda: None,
    )


class Run:
    """The steps of a job, on one model."""

    def __init__(self, session: Session, settings: Any, start: Start, task: Task):
        self._session = session
        self._settings = settings
        self._tokenizer = start.tokenizer
        self._task = task
        self._predict = predicting.predictor(session.strategy, session.model, session.stop)

    def all(self) -> dict[str, float] | None:
        """Trains, evaluates and predicts, as far as it was asked; returns the results."""
        step = self._train() if self._settings.do_train else self._load()
        if step is None:
            return None
        results = self._evaluate(step) if self._settings.do_eval else None
        if self._settings.do_predict and not self._session.stop.reason:
            self._write_predictions()
        return results

    def _load(self):
        """Takes the weights of the start; returns the steps that they were trained for here."""
        self._session.initialize(self._session.model)
        folder = self._settings.output_dir
        return best_step_of(folder) or max(run_state.saved_steps(folder), default=0)

    def _train(self):
        """Trains and keeps the model; returns the steps done, None if it was stopped."""
        settings, session, task = self._settings, self._session, self._task
        visits = self._early_stopping() if settings.early_stopping_epochs else None
        training = plan.training(settings, task, visits)
        if session.is_chief:
            describe_run(session.model, self._tokenizer, settings.output_dir)
        done = session.train(training)
        is_over = visits is not None and visits.is_over
        if session.stop.reason or (done < training.num_train_steps and not is_over):
            return None
        if visits is None:
            self._keep()
            return done
        visits.visit(done)
        if session.stop.reason:
            return None
        pretrained.load_noticed(session.model, settings.output_dir)
        notify(f"the best weights are those of step {visits.best_step}")
        return visits.best_step

    def _early_stopping(self):
        settings, task = self._settings, self._task
        if not task.evaluations:
            raise InputError(
                "--early_stopping_epochs needs examples to evaluate on. Received: none with answers"
            )
        return EarlyStopping(
            settings.output_dir,
            max(run_state.saved_steps(settings.output_dir), default=0),
            task.metric,
            plan.steps_per_epoch(settings, task),
            settings.early_stopping_epochs,
            self._scores,
            self._keep,
            self._session.is_chief,
        )

    def _keep(self):
        if self._session.is_chief:
            made_by = f"Made by these flags:\n\n    {command_line.command(self._settings)}"
            pretrained.save_pretrained(
                self._session.model, self._tokenizer, self._settings.output_dir, made_by
            )
        agreement.meet(self._session.strategy)

    def _scores(self):
        """The scores of all sets, name -> value; None if a stop was requested."""
        scores = {}
        for name, (examples, score) in self._task.evaluations.items():
            outputs = self._predict(examples, self._settings.eval_batch_size, f"evaluating {name}")
            if outputs is None:
                return None
            scores |= score(outputs)
        return scores

    def _evaluate(self, step):
        scores = self._scores()
        if scores is None:
            notify(f"Stopped by {self._session.stop.reason} in the evaluation: no results.")
            return None
        results = scores | {"global_step": step}
        if self._session.is_chief:
            evaluation.write_results(self._settings.output_dir, results)
        return results

    def _write_predictions(self):
        settings = self._settings
        for name, (examples, write) in self._task.predictions.items():
            outputs = self._predict(examples, settings.predict_batch_size, f"predicting {name}")
            if outputs is None:
                notify(f"Stopped by {self._session.stop.reason} in the prediction of {name}.")
                return
            if self._session.is_chief:
                write(outputs, settings.output_dir)
