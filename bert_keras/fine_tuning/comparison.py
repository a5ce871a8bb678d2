"""Runs that differ in some settings, one after the other: which is best, and its model is kept.

Every run has a folder of its own, goes on after a stop, and is not made again once it is finished.
"""

import contextlib
import dataclasses
import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import tensorflow as tf
from tqdm import tqdm

from bert_keras import command_line
from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.formats import detection, native
from bert_keras.errors import InputError
from bert_keras.fine_tuning import recipe
from bert_keras.fine_tuning.assignment import Assignment
from bert_keras.fine_tuning.early_stopping import rank
from bert_keras.fine_tuning.run_model import (
    check_free,
    note_kept,
    read_model,
    step_of_model,
)
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results, Setup
from bert_keras.notices import notify
from bert_keras.training import agreement, run_folder, run_state
from bert_keras.training.memory import freed_variables

FINISHED_NAME = "finished_run.json"


def origin(
    settings: FineTuningSettings, assignment: Assignment, varied: Collection[str]
) -> dict[str, Any]:
    """All that the best model depends on, but for what the runs differ in; as JSON gives it back.

    Args:
        settings: those of all runs.
        assignment: what is learned.
        varied: the flags that each run has values of its own of.
    """
    decisive = recipe.decisive(settings, assignment).items()
    return json.loads(json.dumps({name: value for name, value in decisive if name not in varied}))


def check_flags(settings: FineTuningSettings) -> None:
    """Raises InputError for flags with which no run can be found to be the best."""
    if not (settings.do_train and settings.do_eval):
        raise InputError(
            "Runs are compared by their evaluation: --do_train and --do_eval are needed. Received: "
            f"--do_train={settings.do_train} --do_eval={settings.do_eval}"
        )
    for name in ("stop_after_steps", "max_hours"):
        if getattr(settings, name):
            raise InputError(
                f"--{name} counts within one run, and there are several. Received: "
                f"{getattr(settings, name)}. SIGTERM stops them all, and the same command goes on: "
                "timeout --signal=TERM 2h python -m ..."
            )


def check_folder(settings: FineTuningSettings, own_file: str, made_by: dict[str, Any]) -> None:
    """Raises InputError if a model that others made would be lost.

    Args:
        settings: those of all runs.
        own_file: what a command that compares them leaves in the output folder.
        made_by: the `origin` that it notes there.
    """
    if run_state.saved_steps(settings.output_dir):
        raise InputError(
            "Runs that are compared have folders of their own in --output_dir. Received: "
            f"{settings.output_dir}, which holds the checkpoints of one run. Use another folder."
        )
    check_free(settings.output_dir, own_file)
    path = tf.io.gfile.join(settings.output_dir, own_file)
    stored = read_json(path, dict) if tf.io.gfile.exists(path) else {}
    if stored.get("made_by", made_by) != made_by:
        raise InputError(
            f"{settings.output_dir} holds the finished model of another command. Use another "
            "--output_dir."
        )


@contextlib.contextmanager
def own_folder(settings: FineTuningSettings, setup: Setup) -> Iterator[None]:
    """Makes the output folder of all runs, and keeps other commands out of it."""
    if setup.is_chief:
        run_folder.make(settings.output_dir)
        with run_folder.lock(settings.output_dir):
            yield
    else:
        yield


def one_of_several(settings: FineTuningSettings, name: str, **changes: Any) -> FineTuningSettings:
    """The settings of one of the runs, in the folder `name` of the output folder.

    A single checkpoint is kept: a step holds three times the memory of a model on the disk.
    """
    folder = tf.io.gfile.join(settings.output_dir, name)
    return dataclasses.replace(
        settings, output_dir=folder, do_predict=False, keep_checkpoint_max=1, **changes
    )


def results_of(
    runs: Sequence[FineTuningSettings],
    run: Callable[[FineTuningSettings], Results | None],
    setup: Setup,
    kind: str,
) -> list[Results] | None:
    """Makes the runs that are not finished; says how far it is.

    Args:
        runs: the settings of each.
        run: function of settings -> results; None if it was stopped.
        setup: what they share.
        kind: what each of them is of, in messages.

    Returns:
        The results of each; None if one was stopped.
    """
    found, seconds, epochs = [], 0.0, 0.0
    for number, settings in enumerate(runs, start=1):
        results = _finished(settings, setup.assignment)
        agreement.check_same(setup.strategy, "the finished runs", results)
        if results is None:
            begin = time.monotonic()
            with freed_variables():
                results = run(settings)
            seconds += time.monotonic() - begin
            epochs += settings.num_train_epochs
        if results is None:
            return None
        if setup.is_chief:
            _note_finished(settings, setup.assignment, results)
        found.append(results)
        left = sum(later.num_train_epochs for later in runs[number:])
        time_left = tqdm.format_interval(seconds / epochs * left) if epochs else "unknown"
        metric = setup.assignment.metric
        notify(
            f"{kind} {number} of {len(runs)}, {settings.output_dir}: {metric} "
            f"{results[metric]:.4g}; time left for all {kind}s: {time_left}"
        )
    return found


def ranked(results: Sequence[Results], metric: str) -> list[int]:
    """Their places from the best to the worst; the first of equal ones, no number last."""
    return sorted(range(len(results)), key=lambda place: rank(results[place][metric]), reverse=True)


def metrics_of(results: Sequence[Results]) -> list[str]:
    """The scores that all have: that of a rare kind of entity may be missing in some."""
    return [
        name for name in results[0] if name != "global_step" and all(name in one for one in results)
    ]


def keep_model(
    best: FineTuningSettings, settings: FineTuningSettings, setup: Setup, reason: str
) -> None:
    """Copies the model of the best run into the output folder.

    Args:
        best: the settings of that run.
        settings: those of all.
        setup: what they share.
        reason: of which runs it is the best, and which it is.
    """
    if setup.is_chief:
        made_by = f"It is {reason}. Made by\n\n    {command_line.command(settings)}"
        stored = dataclasses.replace(detection.read_model(best.output_dir), made_by=made_by)
        native.replace(stored, settings.output_dir)
        note_kept(settings.output_dir, step_of_model(best.output_dir))
        print(f"Done; the model in {settings.output_dir} is {reason}.")
    agreement.meet(setup.strategy)


def predict(found: Results | None, settings: FineTuningSettings, setup: Setup) -> None:
    """Predicts with the model that was kept, if that is asked for and the runs are finished."""
    if found is None or not settings.do_predict:
        return
    prediction = dataclasses.replace(settings, do_train=False, do_eval=False, num_seeds=1)
    with freed_variables():
        setup.run(prediction, read_model(prediction))


def _finished(settings: FineTuningSettings, assignment: Assignment) -> Results | None:
    """The results of a run that these settings and examples have brought to its end."""
    path = tf.io.gfile.join(settings.output_dir, FINISHED_NAME)
    if not tf.io.gfile.exists(path):
        return None
    stored = read_json(path, dict)
    is_same = stored.get("made_by") == _origin(settings, assignment)
    return stored.get("results") if is_same else None


def _note_finished(settings: FineTuningSettings, assignment: Assignment, results: Results) -> None:
    path = tf.io.gfile.join(settings.output_dir, FINISHED_NAME)
    write_json(path, {"made_by": _origin(settings, assignment), "results": results})


def _origin(settings: FineTuningSettings, assignment: Assignment) -> dict[str, Any]:
    """All that the results depend on, as JSON gives it back."""
    sets = {"train": assignment.train} | {
        name: one.examples for name, one in assignment.evaluations.items()
    }
    examples = {name: one.fingerprint() for name, one in sets.items()}
    return json.loads(json.dumps({"flags": dataclasses.asdict(settings), "examples": examples}))
