"""Folders of google-research/bert: `bert_config.json`, `vocab.txt`, a checkpoint.

Ours have the same layout with a `config.json` that says more, so that one reader serves both.
"""

import re
from collections.abc import Mapping

import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.checkpoints.formats.config_files import CONFIG_FILE, config_values, read_config
from bert_keras.checkpoints.formats.sentence_transformers import read_pooling
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE, read_tokenizer
from bert_keras.checkpoints.names import DROPOUT_SEED
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import known_case, save_vocabulary

WEIGHTS_PREFIX = "bert_model.ckpt"
EPSILON = 1e-12  # of layer normalization in the original, whatever a config says

_STEP_OF_INDEX = re.compile(r"model\.ckpt-(\d+)\.index")


def find_checkpoint(folder: str) -> str | None:
    """The prefix of the finished model in a folder, else of its newest `model.ckpt-N`, or None."""
    names = tf.io.gfile.listdir(folder)
    if WEIGHTS_PREFIX + bundle.INDEX_SUFFIX in names:
        return tf.io.gfile.join(folder, WEIGHTS_PREFIX)
    steps = [int(match[1]) for match in map(_STEP_OF_INDEX.fullmatch, names) if match]
    return tf.io.gfile.join(folder, f"model.ckpt-{max(steps)}") if steps else None


def read(folder: str, checkpoint: str, do_lower_case: bool | None = None) -> StoredModel:
    """Reads a folder of Google's or ours.

    Args:
        folder: where config and vocabulary lie.
        checkpoint: the prefix of the weights.
        do_lower_case: the case setting, where the folder stores none or another one.

    Raises:
        InputError: a file is missing or damaged.
    """
    config, model = read_config(folder)
    return StoredModel(
        config=config,
        tokenizer=read_tokenizer(folder, checkpoint, do_lower_case),
        weights=bundle.open_weights(checkpoint),
        model=model,
        pooling=read_pooling(folder),
    )


def write(stored: StoredModel, folder: str, max_shard_size: int | None = None) -> list[str]:
    """Writes a folder as Google releases them; slots and step go into the checkpoint.

    Such a folder has no place for a case setting, and the original computes with an epsilon of
    1e-12 whatever the config says: notices say what has to be said again.

    Args:
        stored: what to write.
        folder: an existing one.
        max_shard_size: the most bytes of one data file; None: a single one.

    Returns:
        The names of the weights that are not written: dropout seeds, which belong to our runs.
    """
    values = config_values(stored)
    if values["layer_norm_epsilon"] == EPSILON:
        del values["layer_norm_epsilon"]  # no key of the original's
    write_json(tf.io.gfile.join(folder, CONFIG_FILE), values)
    if stored.tokenizer is not None:
        save_vocabulary(stored.tokenizer.vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    for line in _not_held(stored):
        notify(line)
    return write_weights(stored.weights, folder, max_shard_size)


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


def _not_held(stored: StoredModel) -> list[str]:
    """What this layout has no place for, a line each."""
    lines = []
    if stored.tokenizer is not None:
        case = stored.tokenizer.do_lower_case
        if not case and known_case(stored.tokenizer.vocab) is None:
            lines.append(
                "a release of Google's stores no case setting, and this vocabulary does not show "
                "that it is cased: say so to who reads it (do_lower_case=False)"
            )
        if stored.tokenizer.strip_accents != case:
            lines.append(
                "a release of Google's cannot say that accents are "
                f"{'stripped' if stored.tokenizer.strip_accents else 'kept'}"
            )
    if stored.config.layer_norm_epsilon != EPSILON:
        lines.append(
            "the original computes layer normalization with an epsilon of 1e-12 and would pass "
            f"over layer_norm_epsilon={stored.config.layer_norm_epsilon}"
        )
    if stored.config.hidden_act == "gelu_erf":
        lines.append("the original has no hidden_act=gelu_erf and will refuse it; bert_keras has")
    if stored.pooling:
        lines.append("a release of Google's has no place for the pooling of sentence vectors")
    return lines
