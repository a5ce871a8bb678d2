"""A pretrained model in one line: from files to a Keras model and its tokenizer, and back."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras

from bert_keras.checkpoints.builders import (
    BUILDERS,
    builder_of,
    config_of,
    encoder_model,
    stored_model_of,
)
from bert_keras.checkpoints.files import safetensors_files
from bert_keras.checkpoints.formats import detection, native
from bert_keras.checkpoints.formats.config_files import OWN_CONFIG_FILE
from bert_keras.checkpoints.formats.sentence_transformers import transformer_folder
from bert_keras.checkpoints.formats.tokenizer_files import stored_case
from bert_keras.checkpoints.labels import (
    relabeled,
    without_head_of_another,
    without_unfit_head,
)
from bert_keras.checkpoints.loading import LoadReport, load_weights
from bert_keras.checkpoints.names import HEADS, LABELED, POOLER, names_of
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import is_folder
from bert_keras.layers.initializers import zeros_to_be_loaded
from bert_keras.notices import notify
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# What changes the outputs of a model and the shape of no weight.
KEYS_WITHOUT_SHAPE = ("num_attention_heads", "hidden_act", "layer_norm_epsilon")


def from_pretrained(
    path: str | os.PathLike,
    build: Callable[[BertConfig], keras.Model] | None = None,
    labels: Sequence[str] | None = None,
    do_lower_case: bool | None = None,
) -> tuple[keras.Model, WordPieceTokenizer]:
    """Loads a pretrained model, whoever wrote it.

    That is a folder of `save_pretrained`, a TF1 release of Google's, a folder of Hugging Face's
    with safetensors, or one of Sentence-Transformers. Of a run's folder the finished model is
    taken, else the newest `model.ckpt-N`; a path may name the weights themselves.

    Args:
        path: the folder, or a checkpoint's prefix or a .safetensors file in it.
        build: which model is wanted, a function of `bert_keras.models` such as `pretrainer` or
            `classifier`. By default the encoder, with a pooler if the files have one, and with
            `sentence_embedding` [B, H] if they say how sentences are pooled.
        labels: the classes of a new classifier, or of a stored one whose classes have no names.
            Without them they are those of the files.
        do_lower_case: the case setting. By default it is what the files say, or else what the
            vocabulary's letters or the folder's name do.

    Returns:
        The model with its weights, and the tokenizer of its vocabulary. Heads that the files lack
        are at their initial values; a notice names them.

    Raises:
        InputError: a file is missing or damaged, or config, vocabulary and weights disagree.
    """
    _check_arguments(build, labels)
    stored = detection.read_model(os.fspath(path), do_lower_case)
    if stored.tokenizer is None:
        raise InputError(
            "A pretrained model needs vocab.txt or tokenizer.json. "
            f"Received: {stored.weights.path} without one beside it"
        )
    if build is not None:
        stored = without_head_of_another(stored, getattr(build, "__name__", ""))
    if labels is not None:
        stored = relabeled(stored, labels)
    model = _built(stored, build)
    report = load_weights(model, stored.weights, optional=(*HEADS, *([POOLER] if build else [])))
    # That an encoder leaves heads unused, and a model without it the pooler, goes without saying.
    unexpected = [name for name in report.unused if not name.startswith((*HEADS, POOLER))]
    for line in report._replace(unused=unexpected).notices(stored.weights.path):
        notify(line)
    return model, stored.tokenizer


def save_pretrained(
    model: keras.Model,
    tokenizer: WordPieceTokenizer | None,
    folder: str | os.PathLike,
    made_by: str = "",
    task: Mapping[str, Any] | None = None,
) -> None:
    """Writes config, vocabulary with its case setting, weights, and a card (README.md).

    Without a tokenizer the folder lacks `vocab.txt`: it must be put there before it is loaded.

    Args:
        model: one that a function of `bert_keras.models` made.
        tokenizer: that of its vocabulary.
        folder: made if needed. A README.md of yours is left as it is.
        made_by: a sentence for the card, on how the model was made.
        task: what else is to be known of its texts and answers, the content of `task.json`, such
            as {"task": "classification", "max_seq_length": 64}.

    Raises:
        InputError: the folder cannot be written.
    """
    folder = os.fspath(folder)
    check_no_other_model(folder)
    native.replace(stored_model_of(model, tokenizer, made_by, task), folder)


def check_no_other_model(folder: str) -> None:
    """Raises InputError if saving there would overwrite the model of someone else in part."""
    if not is_folder(folder):
        return
    is_release = detection.is_release(folder)
    if is_release or safetensors_files.is_there(folder):
        raise InputError(
            "A folder holds one model. Received: "
            f"{folder}, which holds {'a release of Google' if is_release else 'safetensors'}. "
            "Save to another folder."
        )
    if not native.may_replace_config(folder):
        raise InputError(
            f"A model is saved with its own {OWN_CONFIG_FILE}. Received: {folder}, whose "
            f"{OWN_CONFIG_FILE} is that of something else, and would be lost. Save to another "
            "folder."
        )


def load_checkpoint(model: keras.Model, path: str | os.PathLike) -> LoadReport:
    """Copies weights of any format into a model that was built from another config.

    Args:
        model: heads that the files lack keep their values.
        path: as for `from_pretrained`; a vocabulary need not lie there, nor a config. If one does,
            what no shape shows has to be the same in it.

    Raises:
        InputError: a file is missing or damaged; a weight is missing; shapes or configs disagree.
    """
    path = os.fspath(path)
    weights = detection.read_weights(path)
    _check_same_computation(config_of(model), detection.read_config(path), path)
    return load_weights(model, without_unfit_head(weights, model))


def load_noticed(model: keras.Model, checkpoint: str) -> None:
    """`load_checkpoint`, with a line for the user about all that was not read."""
    for line in load_checkpoint(model, checkpoint).notices(checkpoint):
        notify(line)


def check_stored_case(do_lower_case: bool, path: str) -> None:
    """Raises InputError if the files of pretrained weights say another case setting."""
    folder, _ = detection.locate(path)
    stored = stored_case(transformer_folder(folder))
    if stored not in (None, do_lower_case):
        raise InputError(
            "--do_lower_case must be as when the weights were trained. Received: "
            f"{do_lower_case}, but {stored} beside {path}. Pass --do_lower_case={stored}."
        )


def _check_same_computation(
    config: BertConfig | None, stored: BertConfig | None, path: str
) -> None:
    for key in KEYS_WITHOUT_SHAPE if config and stored else ():
        ours, theirs = getattr(config, key), getattr(stored, key)
        if ours != theirs:
            raise InputError(
                f"Checkpoint and config must agree: {key} is {theirs!r} beside the weights of "
                f"{path} and {ours!r} by the config. Take the config that belongs to the "
                "checkpoint."
            )


def _check_arguments(
    build: Callable[[BertConfig], keras.Model] | None, labels: Sequence[str] | None
) -> None:
    if build is not None and not callable(build):
        raise InputError(
            "build must be a function of bert_keras.models, such as bert_keras.classifier. "
            f"Received: {build!r}"
        )
    has_no_labels = build is None or getattr(build, "__name__", "") in set(BUILDERS) - set(LABELED)
    if labels is not None and has_no_labels:
        raise InputError(
            f"labels are for bert_keras.{' or bert_keras.'.join(LABELED)}, as the second "
            f"argument. Received: {getattr(build, '__name__', 'none')}"
        )


def _built(stored: StoredModel, build: Callable[[BertConfig], keras.Model] | None) -> keras.Model:
    """The wanted model, at initial values only where the files do not hold all of its weights."""
    encoder = dataclasses.replace(stored, model=encoder_model(stored.weights.shapes))
    name = encoder.model if build is None else getattr(build, "__name__", "")
    is_known = build is None or BUILDERS.get(name) is build
    names = names_of(name, stored.config.num_hidden_layers) if is_known else ()
    is_complete = is_known and all(name in stored.weights.shapes for name in names)
    with zeros_to_be_loaded() if is_complete else contextlib.nullcontext():
        return (build or builder_of(encoder))(stored.config)
