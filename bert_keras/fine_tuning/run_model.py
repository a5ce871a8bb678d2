"""The model of a run's folder: which one is taken, and which one may be replaced."""

import json
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from bert_keras.checkpoints import pretrained
from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.formats import checkpoint_folders, native
from bert_keras.checkpoints.formats.config_files import OWN_CONFIG_FILE
from bert_keras.checkpoints.start import read_folder, read_start
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.errors import InputError
from bert_keras.fine_tuning.early_stopping import LOG_NAME
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.notices import notify
from bert_keras.training import run_folder, run_state

KEPT_NAME = "finished_model.json"


def holds_model(folder: str) -> bool:
    """Whether `folder` holds a model of ours: a finished one, or the checkpoints of a run."""
    if not tf.io.gfile.exists(tf.io.gfile.join(folder, OWN_CONFIG_FILE)):
        return False
    return checkpoint_folders.find_checkpoint(folder) is not None


def read_model(settings: FineTuningSettings) -> StoredModel:
    """Reads the model to begin with; without `do_train` that of the output folder, if it has one.

    Raises:
        InputError: a file is missing or damaged, or files contradict each other; there is nothing
            to evaluate.
    """
    if settings.do_train:
        return read_start(settings)
    if holds_model(settings.output_dir):
        if settings.init_checkpoint:
            notify(f"the model of {settings.output_dir} is used, and not --init_checkpoint")
        return read_folder(settings.output_dir, settings.do_lower_case)
    if run_state.saved_steps(settings.output_dir):
        raise InputError(
            f"{settings.output_dir} holds the checkpoints of a run, and not its model: a program "
            "was killed while it put that there. The command that trains does it again, in seconds."
        )
    names_model = settings.init_checkpoint or settings.bert_config_file or settings.vocab_file
    start = read_start(settings) if names_model else None
    if start is None or start.weights is None:
        raise InputError(
            f"There is no model to run: {settings.output_dir} holds none and "
            "--init_checkpoint is not given. Train with --do_train, or name one."
        )
    return start


def note_kept(folder: str, step: int) -> None:
    """Notes after how many steps the finished model was kept."""
    write_json(tf.io.gfile.join(folder, KEPT_NAME), {"global_step": step})


def step_of_model(folder: str) -> int:
    """The steps that the model of a folder was trained for there; says if others lie beside it.

    Raises:
        InputError: the note is damaged.
    """
    newest = max(run_state.saved_steps(folder), default=0)
    path = tf.io.gfile.join(folder, KEPT_NAME)
    if not tf.io.gfile.exists(path):
        if newest:
            notify(f"the run of {folder} is not finished: its model is that of step {newest}")
        return newest
    kept = read_json(path, dict).get("global_step")
    if not isinstance(kept, int):
        raise InputError(f"{path} must hold a number, `global_step`. Received: {kept!r:.100}")
    if newest > kept and not tf.io.gfile.exists(tf.io.gfile.join(folder, LOG_NAME)):
        notify(f"the run of {folder} went on to step {newest}; its model is that of step {kept}")
    return kept


def check_free(folder: str, own_file: str) -> None:
    """Raises InputError if a model would be lost: one there that no command like this one made.

    Args:
        folder: the output folder; it need not exist.
        own_file: what such a command leaves there.
    """
    pretrained.check_no_other_model(folder)
    if holds_model(folder) and not tf.io.gfile.exists(tf.io.gfile.join(folder, own_file)):
        raise InputError(
            f"A run needs a folder of its own. Received: --output_dir={folder}, which holds "
            "another model. Use another folder, with this one as --init_checkpoint."
        )


def describe(model: StoredModel, folder: str, decisive: Mapping[str, Any]) -> None:
    """Makes the folder of a new run one of a model, whose weights are those of its checkpoints.

    Args:
        model: what is trained.
        folder: that of the run.
        decisive: all that the weights depend on.

    Raises:
        InputError: it holds a model of another command, which would be lost.
    """
    if run_state.saved_steps(folder):
        return
    check_free(folder, run_folder.SETTINGS_NAME)
    stored = run_folder.read_settings(folder)
    if holds_model(folder) and stored != json.loads(json.dumps(decisive)):
        raise InputError(
            f"{folder} holds the finished model of another command, without its checkpoints. Use "
            "another --output_dir."
        )
    native.write_description(model, folder)
