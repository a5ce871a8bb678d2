"""The job of every fine-tuning program: settings in; a model, its scores and its answers out."""

import contextlib
import functools
from collections.abc import Callable, Mapping
from typing import Any

import keras

from bert_keras import flags
from bert_keras.checkpoints.start import check_fit, initialize
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import is_folder
from bert_keras.fine_tuning import comparison, recipe
from bert_keras.fine_tuning.assignment import Assignment
from bert_keras.fine_tuning.run import Run
from bert_keras.fine_tuning.run_model import read_model
from bert_keras.fine_tuning.seeds import run_seeds
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results, Setup
from bert_keras.models.freezing import freeze
from bert_keras.notices import notify
from bert_keras.tasks.task import Task, description
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import agreement, preflight, run_folder
from bert_keras.training.precision import POLICIES, precision
from bert_keras.training.session import Session
from bert_keras.training.stop import SharedStop, StopRequest
from bert_keras.training.strategy import worker_of

ReadAssignment = Callable[[FineTuningSettings, BertConfig, WordPieceTokenizer], Assignment]
MakeRuns = Callable[[Setup, FineTuningSettings], Results | None]


def run(
    settings: FineTuningSettings,
    read_assignment: ReadAssignment,
    stop: StopRequest,
    make_runs: MakeRuns = run_seeds,
) -> Results | None:
    """Fine-tunes, evaluates and predicts as the settings of a program say, until a stop.

    Args:
        settings: those of a program.
        read_assignment: function of them, a configuration and a tokenizer -> what is to be learned.
        stop: ends everything early.
        make_runs: function of a `Setup` and the settings that makes all runs of the command.

    Returns:
        The results of the evaluation, name -> value; None without one.

    Raises:
        InputError: the settings, or the files that they name, cannot work.
    """
    check_settings(settings)
    return agreement.run_together(
        settings, lambda strategy: _run_on(strategy, settings, read_assignment, stop, make_runs)
    )


def check_settings(settings: FineTuningSettings) -> None:
    """Raises InputError for settings that can work with no file."""
    if not any((settings.do_train, settings.do_eval, settings.do_predict)):
        raise InputError(
            "At least one of `do_train`, `do_eval` or `do_predict` must be True. Received: none"
        )
    preflight.check_given(settings, ("output_dir",))
    flags.check_numbers(settings)
    preflight.check_output_dir(settings.output_dir)
    if settings.num_seeds > 1:
        comparison.check_flags(settings)
    if settings.do_train:
        preflight.check_positive(settings, ("learning_rate", "num_train_epochs"))
    preflight.check_positive(settings, ("layer_rate_decay",))
    preflight.check_one_of(settings, "learning_rate_schedule", recipe.SCHEDULES)
    preflight.check_one_of(settings, "precision", POLICIES)
    preflight.check_multiple(settings, "keep_checkpoint_every_steps", "save_checkpoints_steps")


def _run_on(strategy, settings, read_assignment, stop, make_runs):
    start = read_model(settings)
    check_fit(start, settings.max_seq_length)
    if settings.num_frozen_layers > start.config.num_hidden_layers:
        raise InputError(
            f"--num_frozen_layers must be at most {start.config.num_hidden_layers}, the layers of "
            f"the model. Received: {settings.num_frozen_layers}"
        )
    assignment = read_assignment(settings, start.config, start.tokenizer)
    if start.weights is None:
        notify("no --init_checkpoint: all weights are new, nothing is pretrained")
    if not settings.do_train:
        _notify_of_changes(assignment.task, start.task)
    run_one = functools.partial(_run_one, strategy, assignment, stop)
    return make_runs(Setup(strategy, start, assignment, run_one), settings)


def _notify_of_changes(task: Task, stored: Mapping[str, Any]) -> None:
    """Says where texts or answers are treated otherwise than when the model was made."""
    now = description(task)
    if stored.get("task") == task.name:
        for name in [name for name in now if name in stored and stored[name] != now[name]]:
            notify(f"the model was made with {name}={stored[name]}; now it is {now[name]}")


def _run_one(strategy, assignment, stop, settings, start):
    _check_batches(settings, strategy.num_replicas_in_sync)
    session = _session(strategy, settings, start, assignment, stop)
    # An evaluation of what is not there makes no folder: its name may be mistyped.
    if settings.do_train and session.is_chief:
        run_folder.make(settings.output_dir)
    writes = session.is_chief and is_folder(settings.output_dir)
    with run_folder.lock(settings.output_dir) if writes else contextlib.nullcontext():
        return Run(session, settings, start.tokenizer, assignment).complete()


def _check_batches(settings, num_replicas):
    for name, is_used, num_parts in (
        ("train_batch_size", settings.do_train, settings.gradient_accumulation_steps),
        ("eval_batch_size", settings.needs_evaluation, 1),
        ("predict_batch_size", settings.do_predict, 1),
    ):
        if is_used:
            preflight.check_batch_size(getattr(settings, name), num_replicas, num_parts, name)


def _session(strategy, settings, start: StoredModel, assignment, stop):
    """A new model in its folder."""
    with strategy.scope(), precision(settings.precision):
        keras.utils.set_random_seed(settings.random_seed)
        model = assignment.build(assignment.config)
    if settings.num_frozen_layers:
        freeze(model, settings.num_frozen_layers)
    return Session(
        folder=settings.output_dir,
        strategy=strategy,
        model=model,
        objective=assignment.objective,
        losses=assignment.losses,
        accuracies=assignment.accuracies,
        initialize=functools.partial(
            initialize, start=start, config=assignment.config, is_trained=settings.do_train
        ),
        stop=stop if worker_of(strategy).num_workers == 1 else SharedStop(stop),
        check_data=lambda: None,
    )
