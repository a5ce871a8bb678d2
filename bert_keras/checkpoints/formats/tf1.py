"""Folders of google-research/bert: `bert_config.json`, `vocab.txt`, a checkpoint.

Ours have the same layout with a `config.json` that says more, so that one reader serves both.
"""

import re
from collections.abc import Mapping

import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.formats.hugging_face_config import from_hugging_face
from bert_keras.checkpoints.formats.sentence_transformers import read_pooling
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE, read_tokenizer
from bert_keras.checkpoints.names import DROPOUT_SEED
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import known_case, save_vocabulary

OWN_CONFIG_FILE = "config.json"
CONFIG_FILE = "bert_config.json"
WEIGHTS_PREFIX = "bert_model.ckpt"
MODEL_KEY = "model"  # of a config: which function of bert_keras.models it belongs to

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


def read_config(folder: str) -> tuple[BertConfig, str | None]:
    """The config of a folder, and which model it says that it is for.

    Of two configs that lie there ours comes first, one of Hugging Face's last.

    Raises:
        InputError: there is none, or it is impossible.
    """
    found = [
        path
        for name in (OWN_CONFIG_FILE, CONFIG_FILE)
        if tf.io.gfile.exists(path := tf.io.gfile.join(folder, name))
    ]
    if not found:
        raise InputError(
            f"A pretrained model needs {OWN_CONFIG_FILE} or {CONFIG_FILE}. "
            f"Received: {folder} without"
        )
    contents = {path: read_json(path, dict) for path in found}
    path = next((path for path in found if not _is_of_hugging_face(contents[path])), found[0])
    if _is_of_hugging_face(contents[path]):
        return from_hugging_face(contents[path])
    return _own_config(contents[path], path)


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
    write_json(tf.io.gfile.join(folder, CONFIG_FILE), config_values(stored))
    if stored.tokenizer is not None:
        save_vocabulary(stored.tokenizer.vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    for line in _not_held(stored):
        notify(line)
    return write_weights(stored.weights, folder, max_shard_size)


def config_values(stored: StoredModel) -> dict:
    """The content of a config: its keys, and the model if it is known."""
    named = {MODEL_KEY: stored.model} if stored.model else {}
    return stored.config.to_dict() | named


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
        if known_case(stored.tokenizer.vocab) != case:
            lines.append(
                "a release of Google's stores no case setting, and this vocabulary does not show "
                f"it: pass --do_lower_case={str(case).lower()} with it"
            )
        if stored.tokenizer.strip_accents != case:
            lines.append(
                "a release of Google's cannot say that accents are "
                f"{'stripped' if stored.tokenizer.strip_accents else 'kept'}"
            )
    if stored.config.layer_norm_epsilon != 1e-12:
        lines.append(
            "the original computes layer normalization with an epsilon of 1e-12 and would pass "
            f"over layer_norm_epsilon={stored.config.layer_norm_epsilon}"
        )
    if stored.config.hidden_act == "gelu_erf":
        lines.append("the original has no hidden_act=gelu_erf and will refuse it; bert_keras has")
    if stored.pooling:
        lines.append("a release of Google's has no place for the pooling of sentence vectors")
    return lines


def _is_of_hugging_face(values: dict) -> bool:
    """By keys that no other config has."""
    return not {"model_type", "layer_norm_eps"}.isdisjoint(values)


def _own_config(values: dict, path: str) -> tuple[BertConfig, str | None]:
    """A config that names its model was written by us: its other keys are no mistyped ones."""
    if MODEL_KEY not in values:
        return BertConfig.from_json_file(path), None
    model = values.pop(MODEL_KEY)
    try:
        return BertConfig.from_dict(values), model
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
