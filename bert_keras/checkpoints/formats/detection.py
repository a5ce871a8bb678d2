"""What lies at a path - Google's format, Hugging Face's or ours - told by its content."""

import dataclasses

import tensorflow as tf

from bert_keras.checkpoints.builders import BUILDERS, shown_model
from bert_keras.checkpoints.files import bundle, safetensors_files
from bert_keras.checkpoints.files.other_formats import refuse_others
from bert_keras.checkpoints.files.whole_folders import is_cut_off
from bert_keras.checkpoints.formats import (
    checkpoint_folders,
    config_files,
    hugging_face,
    saved_model,
)
from bert_keras.checkpoints.formats.sentence_transformers import transformer_folder
from bert_keras.checkpoints.labels import labels_of_head
from bert_keras.checkpoints.loading import check_config
from bert_keras.checkpoints.names import LABELED
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import folder_of, is_folder
from bert_keras.notices import notify

SAFETENSORS = (".safetensors", ".safetensors.index.json")


def read_model(path: str, do_lower_case: bool | None = None) -> StoredModel:
    """Reads a pretrained model of any format; values of weights are read later.

    Args:
        path: a folder, or the weights in it: a checkpoint's prefix or a .safetensors file.
        do_lower_case: the case setting, where nothing stores it or another one.

    Raises:
        InputError: nothing that can be read lies there, or two models; a file is damaged; config
            and weights disagree.
    """
    folder, checkpoint = locate(path)
    if checkpoint:
        stored = checkpoint_folders.read(folder, checkpoint, do_lower_case)
    else:
        stored = hugging_face.read(path, do_lower_case)
    check_config(stored.weights, stored.config)
    model = stored.model if stored.model in BUILDERS else None
    _check_vocabulary(stored)
    if (model or shown_model(stored.weights.shapes)) in LABELED:
        config = dataclasses.replace(stored.config, labels=labels_of_head(stored))
        stored = dataclasses.replace(stored, config=config)
    return dataclasses.replace(stored, model=model)


def read_weights(path: str) -> Weights:
    """The weights alone: neither config nor vocabulary need to lie there."""
    _, checkpoint = locate(path)
    return saved_model.open_weights(checkpoint) if checkpoint else hugging_face.open_weights(path)


def read_config(path: str) -> BertConfig | None:
    """The config beside the weights; None: there is none."""
    folder, checkpoint = locate(path)
    folder = transformer_folder(folder)
    files = (config_files.OWN_CONFIG_FILE, config_files.CONFIG_FILE)
    if not any(tf.io.gfile.exists(tf.io.gfile.join(folder, file)) for file in files):
        return None
    return (config_files.read_config(folder) if checkpoint else hugging_face.read_config(folder))[0]


def is_release(folder: str) -> bool:
    """Whether it holds a finished model that Google's programs wrote, and not ours.

    One of ours lacks its config, too, where a program was killed while it put another in its place.
    """
    if is_cut_off(folder):
        return False
    names = tf.io.gfile.listdir(folder)
    weights = checkpoint_folders.WEIGHTS_PREFIX + bundle.INDEX_SUFFIX
    return weights in names and config_files.OWN_CONFIG_FILE not in names


def locate(path: str) -> tuple[str, str | None]:
    """The folder of a model, and the prefix of its checkpoint; None: it has safetensors.

    Raises:
        InputError: neither is there, or both are.
    """
    prefix = bundle.prefix_of(path)
    # Asked first: file systems without real folders (ram://) take a prefix for one.
    if tf.io.gfile.exists(prefix + bundle.INDEX_SUFFIX):
        return folder_of(path), prefix
    if not is_folder(path):
        return _locate_file(path)
    checkpoint = checkpoint_folders.find_checkpoint(path)
    has_safetensors = safetensors_files.is_there(transformer_folder(path))
    if checkpoint and has_safetensors:
        raise InputError(
            "A folder must hold the weights of one model, or the weights are named themselves. "
            f"Received: {path} with both {checkpoint} and safetensors"
        )
    if not checkpoint and not has_safetensors:
        refuse_others(path)
        raise InputError(
            "A pretrained model is a folder with a checkpoint of TensorFlow (bert_model.ckpt.index "
            f"and .data files) or with model.safetensors. Received: {path} with "
            f"{', '.join(sorted(tf.io.gfile.listdir(path))[:10]) or 'no file'}{_hint(path)}"
        )
    return path, checkpoint


def _locate_file(path: str) -> tuple[str, None]:
    if not tf.io.gfile.exists(path):
        raise InputError(
            "A pretrained model is a folder on a disk, or it is named by a .safetensors file or by "
            "the prefix of its .index and .data files, such as bert_model.ckpt; nothing is "
            f"downloaded. Received: {path}, which does not exist"
        )
    refuse_others(path)
    if not path.endswith(SAFETENSORS):
        raise InputError(
            f"Weights are the .index file of a checkpoint or a .safetensors file. Received: {path}"
        )
    return folder_of(path), None


def _hint(path: str) -> str:
    """What may be meant, where the folder holds the versions of an export."""
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(path)]
    versions = sorted((name for name in names if name.isdecimal()), key=int)
    return f". Is {tf.io.gfile.join(path, versions[-1])} meant?" if versions else ""


def _check_vocabulary(stored: StoredModel) -> None:
    if stored.tokenizer is None:
        return
    if stored.tokenizer.vocab_size > stored.config.vocab_size:
        raise InputError(
            "A vocabulary must not be larger than vocab_size="
            f"{stored.config.vocab_size} of the config. Received: {stored.tokenizer.vocab_size} "
            f"entries beside {stored.weights.path}"
        )
    if stored.tokenizer.vocab_size < stored.config.vocab_size:
        notify(
            f"{stored.weights.path}: the vocabulary has {stored.tokenizer.vocab_size} entries for "
            f"{stored.config.vocab_size} rows of the word table"
        )
