"""Folders of Hugging Face's transformers and of Sentence-Transformers that hold a BERT.

`config.json`, `model.safetensors` (single, or sharded with an index), `vocab.txt` or
`tokenizer.json`; a sentence encoder has `modules.json` and its pooling too. Nothing is ever
unpickled.
"""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.builders import encoder_model, shown_model
from bert_keras.checkpoints.files import safetensors_files
from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.checkpoints.formats import hugging_face_names as names
from bert_keras.checkpoints.formats.config_files import read_hugging_face_config
from bert_keras.checkpoints.formats.hugging_face_config import to_hugging_face
from bert_keras.checkpoints.formats.sentence_transformers import (
    read_pooling,
    transformer_folder,
    write_pooling,
)
from bert_keras.checkpoints.formats.task_files import read_task, write_task
from bert_keras.checkpoints.formats.tokenizer_files import (
    read_tokenizer,
    write_hugging_face_tokenizer,
)
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights, check_floating
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import folder_of, is_folder
from bert_keras.notices import notify

CONFIG_FILE = "config.json"


def read(path: str, do_lower_case: bool | None = None) -> StoredModel:
    """Reads a folder; values of weights are read later.

    Args:
        path: the folder, or a .safetensors file in it.
        do_lower_case: the case setting, where the files do not say it or say another one.

    Raises:
        InputError: a file is missing or damaged; it is no BERT as in the paper; its output matrix
            has another shape than the word table.
    """
    folder = path if is_folder(path) else folder_of(path)
    weights = open_weights(path)
    config, model = read_config(folder)
    return StoredModel(
        config=config,
        tokenizer=read_tokenizer(transformer_folder(folder), weights.path, do_lower_case),
        weights=weights,
        model=encoder_model(weights.shapes) if model == "bert" else model,
        pooling=read_pooling(folder),
        task=read_task(folder),
    )


def read_config(folder: str) -> tuple[BertConfig, str | None]:
    """The config of a folder, and which model it is for, as far as the file says it.

    Raises:
        InputError: there is none, it is damaged, or it is that of another kind of model.
    """
    return read_hugging_face_config(tf.io.gfile.join(transformer_folder(folder), CONFIG_FILE))


def open_weights(path: str) -> Weights:
    """The weights of a folder or of one .safetensors file, under the original's names.

    A weight that the original does not have keeps its name. That the output of a masked-LM head is
    the word table is found when that is read; InputError if it is not.

    Raises:
        InputError: there are none, they are damaged, one is there twice, or the output matrix has
            another shape than the word table.
    """
    stored = safetensors_files.open_weights(transformer_folder(path) if is_folder(path) else path)
    found = _found_names(stored)
    return _with_checked_copies(_transposed(stored.renamed(found)), stored, found)


def write(stored: StoredModel, folder: str, max_shard_size: int | None = None) -> list[str]:
    """Writes a folder that transformers loads, as the class that `stored.model` names.

    Args:
        stored: what to write; a model of None is the one that the names of the weights show.
        folder: an existing one.
        max_shard_size: the most bytes of one file of weights; None: a single one.

    Returns:
        The names of the weights that the class does not hold: state of runs, a pooler that it does
        not use, other heads, names that the original does not have.

    Raises:
        InputError: a file cannot be written; labels and weights of the classifier disagree.
    """
    shapes = stored.weights.shapes
    model = stored.model or shown_model(shapes)
    num_classes = next(iter(shapes.get("output_weights", ())), None)
    held = names.names_in_class(model, stored.config.num_hidden_layers)
    missing = sorted(theirs for ours, theirs in held.items() if ours not in shapes)
    if missing:
        notify(
            f"{folder}: {len(missing)} weights are not there; transformers will draw them at "
            f"random: {', '.join(missing)}"
        )
    values = to_hugging_face(stored.config, model, num_classes)
    write_json(tf.io.gfile.join(folder, CONFIG_FILE), values)
    num_positions = stored.config.max_position_embeddings
    if stored.tokenizer is not None:
        write_hugging_face_tokenizer(stored.tokenizer, folder, num_positions)
    if stored.pooling:
        length = stored.pooling.max_seq_length
        pooling = stored.pooling._replace(max_seq_length=length and min(length, num_positions))
        write_pooling(pooling, folder, stored.config.hidden_size)
    write_task(stored.task, folder)
    written = {theirs: ours for ours, theirs in held.items() if ours in shapes}
    transposed = _transposed(stored.weights).renamed(written)
    safetensors_files.write(folder, transposed, max_shard_size)
    return sorted(name for name in shapes if name not in held)


def _found_names(stored: Weights) -> dict[str, str]:
    """The original's name, or else the file's -> the file's."""
    found = {}
    for theirs in stored.shapes:
        if theirs.endswith(names.BUFFERS) or theirs in names.COPIES:
            continue
        ours = names.name_from_hugging_face(theirs) or theirs
        if ours in found:
            raise InputError(
                "Each weight must be stored once. "
                f"Received: {found[ours]} and {theirs} in {stored.path}"
            )
        found[ours] = theirs
    # A file that holds tied tensors once may have kept either name.
    for theirs, ours in names.COPIES.items():
        if theirs in stored.shapes:
            found.setdefault(ours, theirs)
    return found


def _transposed(weights: Weights) -> Weights:
    """The same with each kernel transposed, when it is read; anything but float32 is refused."""
    shapes = {
        name: tuple(shape[::-1]) if names.is_transposed(name) else tuple(shape)
        for name, shape in weights.shapes.items()
    }

    def read_transposed(name: str):
        value = weights.read(name)
        check_floating(name, value, weights.path)
        if not names.is_transposed(name):
            return value
        # TensorFlow transposes in blocks: several times as fast as numpy copies such a view.
        with tf.device("cpu:0"):
            return tf.transpose(tf.constant(value))

    return Weights(weights.path, shapes, read_transposed)


def _with_checked_copies(weights: Weights, stored: Weights, found: Mapping[str, str]) -> Weights:
    """The same, held against the copies in the file: shapes now, values at the first reading."""
    copies = {
        ours: copy
        for copy, ours in names.COPIES.items()
        if copy in stored.shapes and found[ours] != copy
    }
    for ours, copy in copies.items():
        if stored.shapes[copy] != weights.shapes[ours]:
            raise _not_tied(copy, found[ours], stored.path)

    def read_checked(name: str):
        value = weights.read(name)
        if name in copies:
            if not np.array_equal(stored.read(copies[name]), value, equal_nan=True):
                raise _not_tied(copies[name], found[name], stored.path)
            del copies[name]
        return value

    return Weights(weights.path, weights.shapes, read_checked)


def _not_tied(copy: str, tied: str, path: str) -> InputError:
    return InputError(
        f"The output of a masked-LM head is tied: {copy} must equal {tied}. Received: other values "
        f"in {path}. Take {copy} out of the file to load its encoder; such a head cannot be loaded."
    )
