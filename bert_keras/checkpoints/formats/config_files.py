"""The configs that lie beside weights: ours, Google's, Hugging Face's."""

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json
from bert_keras.checkpoints.formats.hugging_face_config import from_hugging_face
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.config import HUGGING_FACE_KEYS, BertConfig
from bert_keras.errors import InputError

OWN_CONFIG_FILE = "config.json"
CONFIG_FILE = "bert_config.json"
MODEL_KEY = "model"  # of a config: which function of bert_keras.models it belongs to


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
    theirs = [path for path in found if _is_of_hugging_face(read_json(path, dict))]
    return read_config_file(next((path for path in found if path not in theirs), found[0]))


def read_config_file(path: str) -> tuple[BertConfig, str | None]:
    """The config in a file of any of the three formats, and the model that it says it is for.

    Raises:
        InputError: no such file, no config, or an impossible one.
    """
    values = read_json(path, dict)
    return _hugging_face(values, path) if _is_of_hugging_face(values) else _own(values, path)


def read_hugging_face_config(path: str) -> tuple[BertConfig, str | None]:
    """The same for a file that is known to be one of Hugging Face's, whatever keys it has.

    Raises:
        InputError: there is none, it is damaged, or it is that of another kind of model.
    """
    return _hugging_face(read_json(path, dict), path)


def config_values(stored: StoredModel) -> dict:
    """The content of a config: its keys, and the model if it is known."""
    named = {MODEL_KEY: stored.model} if stored.model else {}
    return stored.config.to_dict() | named


def _is_of_hugging_face(values: dict) -> bool:
    return not HUGGING_FACE_KEYS.isdisjoint(values)


def _hugging_face(values: dict, path: str) -> tuple[BertConfig, str | None]:
    try:
        return from_hugging_face(values)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _own(values: dict, path: str) -> tuple[BertConfig, str | None]:
    """A config that names its model was written by us: its other keys are no mistyped ones."""
    if MODEL_KEY not in values:
        return BertConfig.from_json_file(path), None
    model = values.pop(MODEL_KEY)
    if not isinstance(model, str):
        raise InputError(f"{path}: {MODEL_KEY} is the name of a model. Received: {model!r:.200}")
    try:
        return BertConfig.from_dict(values), model
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
