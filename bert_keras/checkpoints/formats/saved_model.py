"""Exports of ours, SavedModels with all that is known of a model beside them: its weights again.

`variables/` is a checkpoint like others, whose tensors have the names of TensorFlow's objects;
`weight_names.json` says which of them is which weight.
"""

from collections.abc import Mapping

import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from bert_keras.files import read_bytes

GRAPH_FILE = "saved_model.pb"
NAMES_FILE = "weight_names.json"
_VARIABLES = "variables/variables"


def weight_key(index: int) -> str:
    """What the weight of a number is called in the checkpoint: an item of the list `weights`."""
    return f"weights/{index}/.ATTRIBUTES/VARIABLE_VALUE"


def write_weight_names(keys: Mapping[str, str], folder: str) -> None:
    """Writes name of a weight -> what it is called in the checkpoint."""
    write_json(tf.io.gfile.join(folder, NAMES_FILE), dict(keys))


def find_checkpoint(folder: str) -> str | None:
    """The prefix of the weights of an export; None: the folder is none, or none of ours."""
    names = tf.io.gfile.listdir(folder)
    has_names = GRAPH_FILE in names and NAMES_FILE in names
    return tf.io.gfile.join(folder, _VARIABLES) if has_names else None


def check_vocabulary(folder: str) -> None:
    """Raises InputError if the vocabulary of an export is not that of its graph."""
    path = tf.io.gfile.join(folder, VOCABULARY_FILE)
    of_graph = tf.io.gfile.join(folder, "assets", VOCABULARY_FILE)
    if read_bytes(path) != read_bytes(of_graph):
        raise InputError(f"A model has one vocabulary. Received: {path}, which is not {of_graph}")


def open_weights(checkpoint: str) -> Weights:
    """The weights of any checkpoint; those of an export under the original's names.

    Raises:
        InputError: a file is missing or damaged.
    """
    weights = bundle.open_weights(checkpoint)
    path = tf.io.gfile.join(checkpoint.removesuffix(_VARIABLES), NAMES_FILE)
    if not checkpoint.endswith(f"/{_VARIABLES}") or not tf.io.gfile.exists(path):
        return weights
    keys = read_json(path, dict)
    for name, key in keys.items():
        if not isinstance(key, str) or key not in weights.shapes:
            raise InputError(
                f"{path} must name tensors of {checkpoint}. Received: {key!r:.200} for {name}"
            )
    return weights.renamed(keys)
