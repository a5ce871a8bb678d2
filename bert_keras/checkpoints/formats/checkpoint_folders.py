"""Folders whose weights are a checkpoint of TensorFlow: those of google-research/bert, and ours.

Ours have the layout of theirs with a `config.json` that says more, so that one reader serves both;
so have our exports, but for the names of the weights.
"""

import re
from collections.abc import Mapping

import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.formats import saved_model
from bert_keras.checkpoints.formats.config_files import read_config
from bert_keras.checkpoints.formats.sentence_transformers import read_pooling
from bert_keras.checkpoints.formats.task_files import read_task
from bert_keras.checkpoints.formats.tokenizer_files import read_tokenizer
from bert_keras.checkpoints.names import DROPOUT_SEED
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.files import is_folder

WEIGHTS_PREFIX = "bert_model.ckpt"

_STEP_OF_INDEX = re.compile(r"model\.ckpt-(\d+)\.index")


def find_checkpoint(folder: str) -> str | None:
    """The prefix of the finished model in a folder, else of its newest `model.ckpt-N`, or None.

    A folder may be an export, too.
    """
    names = tf.io.gfile.listdir(folder)
    if WEIGHTS_PREFIX + bundle.INDEX_SUFFIX in names:
        return tf.io.gfile.join(folder, WEIGHTS_PREFIX)
    exported = saved_model.find_checkpoint(folder)
    if exported:
        return exported
    step = _newest_step(names)
    return None if step is None else tf.io.gfile.join(folder, f"model.ckpt-{step}")


def newest_step_beside_model(path: str) -> int | None:
    """The newest step of a run whose finished model lies beside it; None: `path` is none such."""
    names = tf.io.gfile.listdir(path) if is_folder(path) else []
    return _newest_step(names) if WEIGHTS_PREFIX + bundle.INDEX_SUFFIX in names else None


def _newest_step(names: list[str]) -> int | None:
    steps = [int(match[1]) for match in map(_STEP_OF_INDEX.fullmatch, names) if match]
    return max(steps, default=None)


def read(folder: str, checkpoint: str, do_lower_case: bool | None = None) -> StoredModel:
    """Reads a folder of Google's or ours.

    Args:
        folder: where config and vocabulary lie.
        checkpoint: the prefix of the weights.
        do_lower_case: the case setting, where the folder stores none or another one.

    Raises:
        InputError: a file is missing or damaged.
    """
    if checkpoint == saved_model.find_checkpoint(folder):
        saved_model.check_vocabulary(folder)
    config, model = read_config(folder)
    return StoredModel(
        config=config,
        tokenizer=read_tokenizer(folder, checkpoint, do_lower_case),
        weights=saved_model.open_weights(checkpoint),
        model=model,
        pooling=read_pooling(folder),
        task=read_task(folder),
    )


def write_weights(weights: Weights, folder: str, max_shard_size: int | None) -> list[str]:
    """Writes all but the dropout seeds, whose names it returns."""
    seeds = [name for name in weights.shapes if name.startswith(DROPOUT_SEED)]
    kept = {name: name for name in weights.shapes if name not in seeds}
    prefix = tf.io.gfile.join(folder, WEIGHTS_PREFIX)
    bundle.write(prefix, _Reading(weights.renamed(kept)), max_shard_size)
    return seeds


class _Reading(Mapping):
    """Weights as a mapping that reads a value when it is asked for it."""

    def __init__(self, weights: Weights):
        self._weights = weights

    def __getitem__(self, name):
        return self._weights.read(name)

    def __iter__(self):
        return iter(self._weights.shapes)

    def __len__(self):
        return len(self._weights.shapes)
