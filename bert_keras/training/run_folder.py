"""The output folder of a run: which command it belongs to, and who may write there."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from bert_keras import files
from bert_keras.errors import InputError
from bert_keras.locks import exclusive_lock

SETTINGS_NAME = "run_settings.json"
README_NAME = "README.md"
LOCK_NAME = ".lock"
UNFINISHED = ".unfinished"


def make(folder: str) -> None:
    """Makes the folder and proves that files can be written there.

    Raises:
        InputError: it is a file, or cannot be written.
    """
    probe = tf.io.gfile.join(folder, "writable" + UNFINISHED)
    try:
        tf.io.gfile.makedirs(folder)
        with tf.io.gfile.GFile(probe, "w") as file:
            file.write("")
        tf.io.gfile.remove(probe)
    except tf.errors.OpError as error:
        raise InputError(
            f"--output_dir must be a folder that can be written. Received: {folder} "
            f"({error.message})"
        ) from error


@contextlib.contextmanager
def lock(folder: str) -> Iterator[None]:
    """Keeps a second run out of `folder`; the system lets go when this process ends.

    Folders of other file systems (gs://...) and those without locks are not guarded.

    Raises:
        InputError: another process is at work there, or no file can be made.
    """
    if "://" in folder:
        yield
        return
    in_use = (
        f"One run at a time works in a folder; another one is at work in {folder}. "
        "Wait for its end, or use another --output_dir."
    )
    with exclusive_lock(os.path.join(folder, LOCK_NAME), in_use):
        yield


def check_same_run(
    folder: str,
    wanted: Mapping[str, Any],
    saved_step: int,
    notify: Callable[[str], None],
    defaults: Mapping[str, Any] | None = None,
) -> None:
    """Checks that a command may go on from the checkpoint of `saved_step` in `folder`.

    `wanted` is a dict of flag -> value, of all that the weights of a run depend on, with its number
    of steps as `num_train_steps`. Another number of steps is allowed while it lies ahead: the
    learning rate then decays to the new last step, so the weights will not be those of a run that
    had this number from the start. `defaults` has the values of flags that an older version of the
    program, which may have begun the run, did not know.

    Raises:
        InputError: the folder belongs to another command.
    """
    stored = read_settings(folder)
    if stored:
        stored = {**(defaults or {}), **stored}
    target = wanted["num_train_steps"]
    differing = [name for name in wanted if stored.get(name) != wanted[name]]
    if saved_step >= target and differing:
        raise InputError(
            f"{folder} is already at {saved_step} >= {target} steps of another run "
            f"(another {', '.join(map(_named, differing))}). "
            "Use a new --output_dir (with --init_checkpoint to begin from these weights), "
            "or a larger number of steps to train this run further."
        )
    if not stored:
        raise InputError(
            f"{folder} holds a checkpoint but no {SETTINGS_NAME}: another program wrote it. "
            "Use a new --output_dir, with this checkpoint as --init_checkpoint."
        )
    if differing == ["num_train_steps"]:
        notify(
            f"The run was begun with {stored['num_train_steps']} steps as its end: "
            f"from step {saved_step} on the learning rate decays to step {target}. A run of so "
            "many steps from its begin is another one, which needs an --output_dir of its own."
        )
    elif differing:
        changes = "; ".join(
            f"{_named(key)}: {stored.get(key)} -> {wanted[key]}" for key in differing
        )
        raise InputError(
            f"A run is continued with the settings that it was begun with. Changed for {folder}: "
            f"{changes}. Use the old values, or a new --output_dir."
        )


def _named(key: str) -> str:
    """A flag as it is typed; what is no flag has a name of several words."""
    if key == "num_train_steps":  # some programs are told epochs
        return "number of steps"
    return key if " " in key else f"--{key}"


def read_settings(folder: str) -> dict[str, Any]:
    """Returns what `write_settings` wrote, or an empty dict.

    Raises:
        InputError: the file is damaged, or cannot be read.
    """
    path = tf.io.gfile.join(folder, SETTINGS_NAME)
    if not tf.io.gfile.exists(path):
        return {}
    try:
        with tf.io.gfile.GFile(path, "rb") as file:
            settings = json.loads(file.read())
        reason = "it is no JSON object"
    except (ValueError, tf.errors.OpError) as error:
        settings, reason = None, error
    if not isinstance(settings, dict):
        raise InputError(
            f"{path} must hold the settings that the run was begun with: {reason}. Bring it back "
            "from a copy, or use a new --output_dir, with the newest checkpoint of this one as "
            "--init_checkpoint."
        )
    return settings


def write_settings(folder: str, settings: Mapping[str, Any]) -> None:
    """Notes the settings that the run of this folder was begun with."""
    write_text(folder, SETTINGS_NAME, json.dumps(settings, indent=2) + "\n")


def write_text(folder: str, name: str, text: str) -> None:
    """Writes a file under another name and renames it: it is complete or not there.

    Raises:
        InputError: it cannot be written.
    """
    files.write_text(tf.io.gfile.join(folder, name), text)
