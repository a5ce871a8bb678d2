"""Checks before a run: whether flags, configuration, vocabulary and disk can work together.

What cannot work raises InputError. What can, and is likely not wanted, is returned as a list of
sentences for the user.
"""

import os
import shutil
from collections.abc import Iterable
from typing import Any

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import exists
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import run_state
from bert_keras.training.units import with_prefix


def check_given(settings: Any, names: Iterable[str]) -> None:
    """Raises InputError for the first of the named settings that is empty."""
    for name in names:
        if not getattr(settings, name):
            raise InputError(f"--{name} must be given.")


def check_there(settings: Any, names: Iterable[str]) -> None:
    """Raises InputError for the first of the named settings that is empty, or names no file."""
    names = [*names]
    check_given(settings, names)
    for name in names:
        if not exists(getattr(settings, name)):
            raise InputError(f"--{name} must be a file. Received: {getattr(settings, name)}")


def check_positive(settings: Any, names: Iterable[str]) -> None:
    """Raises InputError for the first of the named settings that is not above 0."""
    for name in names:
        value = getattr(settings, name)
        if value <= 0:
            raise InputError(f"--{name} must be positive. Received: {value}")


def check_multiple(settings: Any, name: str, of_name: str) -> None:
    """Raises InputError for a setting that is no multiple of another; 0 is one."""
    value, of_value = getattr(settings, name), getattr(settings, of_name)
    if value % of_value:
        raise InputError(
            f"--{name} must be a multiple of --{of_name}={of_value}. Received: {value}"
        )


def check_one_of(settings: Any, name: str, values: Iterable[str]) -> None:
    """Raises InputError for a setting with a value that is not in the list."""
    value = getattr(settings, name)
    if value not in values:
        raise InputError(f"--{name} must be one of {', '.join(values)}. Received: {value}")


def check_length(max_seq_length: int, config: BertConfig, config_file: str) -> None:
    """Raises InputError for examples that are longer than the model has positions."""
    if max_seq_length > config.max_position_embeddings:
        raise InputError(
            f"--max_seq_length={max_seq_length} must not exceed "
            f"max_position_embeddings={config.max_position_embeddings} of {config_file}. "
            "Make records of a shorter length, or enlarge the table."
        )


def check_vocabulary(
    tokenizer: WordPieceTokenizer, vocab_file: str, config: BertConfig, config_file: str
) -> None:
    """Raises InputError for a vocabulary that is not as large as the model's."""
    if tokenizer.vocab_size != config.vocab_size:
        raise InputError(
            f"The vocabulary must have vocab_size={config.vocab_size} of {config_file}. "
            f"Received: {vocab_file} with {tokenizer.vocab_size} entries."
        )


def check_batch_size(
    batch_size: int, num_replicas: int, num_micro_batches: int = 1, name: str = "train_batch_size"
) -> None:
    """Raises InputError for a batch size that replicas and micro-batches cannot share.

    Args:
        batch_size: over all replicas.
        num_replicas: the devices that share a batch.
        num_micro_batches: the parts that each replica cuts its share into.
        name: the flag of the batch size.
    """
    unit = num_replicas * num_micro_batches
    if batch_size % unit == 0:
        return
    parts = [
        f"{count} {name}"
        for count, name in (
            (num_replicas, "replicas"),
            (num_micro_batches, "micro-batches (--gradient_accumulation_steps)"),
        )
        if count > 1
    ]
    of_what = " x ".join(parts) + (f" = {unit}" if len(parts) > 1 else "")
    below = batch_size // unit * unit
    nearest = f"{below} and {below + unit} work" if below else f"{unit} is the least that works"
    raise InputError(
        f"--{name} must be a multiple of {of_what}. Received: {batch_size}; {nearest}."
    )


def check_output_dir(folder: str) -> None:
    """Raises InputError if no run can be in the folder, as far as nothing has to be written for it.

    Of folders of other file systems (gs://...) only the name is looked at.
    """
    run_state.check_name(folder)
    if "://" in folder:
        return
    if os.path.islink(folder) and not os.path.isdir(folder):
        raise InputError(
            f"--output_dir must be a folder. Received: {folder}, a link to "
            f"{os.path.realpath(folder)}, which is none"
        )
    nearest = _nearest_existing(folder)
    if not os.path.isdir(nearest) or not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(
            f"--output_dir must be a folder that can be written. Received: {folder} ({nearest} "
            "takes no files)"
        )


def check_disk(folder: str, checkpoint_bytes: int, num_checkpoints: int) -> list[str]:
    """Looks whether the checkpoints of a run fit on the disk of its folder, if that is local.

    Args:
        folder: where they go; it may not exist yet, or hold some already.
        checkpoint_bytes: the size of one.
        num_checkpoints: the most that the run holds at once, as `num_checkpoints_at_once` says.

    Returns:
        What is to be said if not all of them fit.

    Raises:
        InputError: not even two fit, so that none could take the place of another.
    """
    if "://" in folder:
        return []
    num_there = len(run_state.saved_steps(folder))
    free = shutil.disk_usage(_nearest_existing(folder)).free
    num_fitting = num_there + free // checkpoint_bytes
    if num_fitting >= num_checkpoints:
        return []
    size, free = with_prefix(checkpoint_bytes, "B"), with_prefix(free, "B")
    least = min(2, num_checkpoints)
    if num_fitting < least:
        raise InputError(
            f"{folder} must have room for {least} checkpoint{'s' * (least > 1)} of {size}. "
            f"Received: {free} free. Make room, or use another --output_dir."
        )
    return [
        f"{folder} has room for {num_fitting} of the {num_checkpoints} checkpoints of {size} that "
        f"the run holds at once ({free} are free). Make room, or lower --keep_checkpoint_max; a "
        "run stops where the disk is full."
    ]


def num_checkpoints_at_once(
    num_train_steps: int,
    save_checkpoints_steps: int,
    keep_checkpoint_max: int,
    keep_checkpoint_every_steps: int = 0,
) -> int:
    """The most checkpoints that a run holds: those it keeps and the one that is being written."""
    num_saves = -(-num_train_steps // save_checkpoints_steps)
    if not keep_checkpoint_max:
        return num_saves
    num_lasting = 0
    if keep_checkpoint_every_steps:
        num_lasting = num_train_steps // keep_checkpoint_every_steps
    return min(num_saves, keep_checkpoint_max + num_lasting + 1)


def _nearest_existing(folder: str) -> str:
    """The folder itself, or the nearest above it that exists."""
    folder = os.path.abspath(folder)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return folder
