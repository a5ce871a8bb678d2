"""A pretrained model as a folder: config, vocabulary with its case setting, weights.

The folder has the layout of Google's releases (`bert_config.json`, `vocab.txt`,
`bert_model.ckpt.*`), so that one reader serves both, plus `tokenizer_config.json`.
"""

import json
import os
import re
from collections.abc import Callable

import keras
import tensorflow as tf

from bert_keras.checkpoints import bundle, tf1
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.files import read_text, write_text
from bert_keras.models.bert import bert
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import (
    check_case,
    known_case,
    load_vocabulary,
    save_vocabulary,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Ours first; the others are the names of Google's releases.
CONFIG_FILES = ("config.json", "bert_config.json")
VOCABULARY_FILE = "vocab.txt"
TOKENIZER_FILE = "tokenizer_config.json"
WEIGHTS_PREFIX = "bert_model.ckpt"


def from_pretrained(
    folder: str | os.PathLike, build: Callable[[BertConfig], keras.Model] = bert
) -> tuple[keras.Model, WordPieceTokenizer]:
    """Loads a folder that `save_pretrained` wrote, or a TF1 release of Google's.

    Args:
        folder: where config, vocabulary and weights lie.
        build: which model is wanted: `bert` (the encoder) or another function of
            `bert_keras.models`, such as `pretrainer`.

    Returns:
        The model with its weights, and the tokenizer of its vocabulary. A release stores no case
        setting: it is what the vocabulary's letters say, or else the folder's name.

    Raises:
        InputError: a file is missing or damaged, or config, vocabulary and weights disagree.
    """
    folder = os.fspath(folder)
    config = BertConfig.from_json_file(_find(folder, CONFIG_FILES))
    tokenizer = _read_tokenizer(folder)
    if tokenizer.vocab_size > config.vocab_size:
        raise InputError(
            f"A vocabulary must not be larger than vocab_size={config.vocab_size} of the config. "
            f"Received: {tokenizer.vocab_size} entries in {folder}/{VOCABULARY_FILE}"
        )
    model = build(config)
    _load_weights(model, tf.io.gfile.join(folder, WEIGHTS_PREFIX))
    return model, tokenizer


def save_pretrained(
    model: keras.Model, tokenizer: WordPieceTokenizer | None, folder: str | os.PathLike
) -> None:
    """Writes config, vocabulary with its case setting, and weights; makes the folder if needed.

    Without a tokenizer the folder lacks `vocab.txt`: it must be put there before it is loaded.

    Raises:
        InputError: the folder cannot be written.
    """
    folder = os.fspath(folder)
    config = model.get_layer("embeddings").config
    weights = {tf1.original_name(weight.path): weight for weight in model.weights}
    try:
        tf.io.gfile.makedirs(folder)
        write_text(tf.io.gfile.join(folder, CONFIG_FILES[0]), config.to_json_string())
        if tokenizer is not None:
            _write_tokenizer(tokenizer, folder)
        bundle.write(tf.io.gfile.join(folder, WEIGHTS_PREFIX), weights)
    except tf.errors.OpError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.message}") from error


def _write_tokenizer(tokenizer: WordPieceTokenizer, folder: str) -> None:
    save_vocabulary(tokenizer.vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    case_setting = {
        "do_lower_case": tokenizer.do_lower_case,
        "strip_accents": tokenizer.strip_accents,
    }
    path = tf.io.gfile.join(folder, TOKENIZER_FILE)
    write_text(path, json.dumps(case_setting, indent=2) + "\n")


def _read_tokenizer(folder: str) -> WordPieceTokenizer:
    vocab_file = _find(folder, (VOCABULARY_FILE,))
    case_setting = _read_case_setting(folder)
    checkpoint = tf.io.gfile.join(folder, WEIGHTS_PREFIX)
    if case_setting["do_lower_case"] is None:
        known = known_case(load_vocabulary(vocab_file), checkpoint)
        case_setting["do_lower_case"] = not _is_named_cased(folder) if known is None else known
    tokenizer = WordPieceTokenizer(vocab_file, **case_setting)
    check_case(tokenizer.do_lower_case, tokenizer.vocab, checkpoint)
    return tokenizer


def _read_case_setting(folder: str) -> dict[str, bool | None]:
    """What `tokenizer_config.json` says, also one of Hugging Face's; None where it says nothing."""
    path = tf.io.gfile.join(folder, TOKENIZER_FILE)
    stored = {}
    if tf.io.gfile.exists(path):
        try:
            stored = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise InputError(f"{path} must be a JSON file. Received: {error}") from error
    names = ("do_lower_case", "strip_accents")
    setting = {name: stored.get(name) for name in names} if isinstance(stored, dict) else {}
    if not setting or not all(isinstance(value, bool | None) for value in setting.values()):
        raise InputError(
            f"{path} must be a JSON object with true or false for {' and '.join(names)}. "
            f"Received: {json.dumps(stored)[:200]}"
        )
    return setting


def _is_named_cased(folder: str) -> bool:
    """Whether "cased" is a part of the name: `cased_L-12_…`, `multi_cased_L-12_…`, `bert-cased`."""
    return "cased" in re.split(r"[-_.]", os.path.basename(folder.rstrip("/")))


def _load_weights(model: keras.Model, checkpoint: str) -> None:
    """Loads weights and says what was not; the heads of a pretrainer are no part of the encoder."""
    report = tf1.load_weights(model, checkpoint)
    unexpected = [name for name in report.unused if not name.startswith("cls/")]
    for line in report._replace(unused=unexpected).notices(checkpoint):
        notify(line)


def _find(folder: str, names: tuple[str, ...]) -> str:
    if not tf.io.gfile.isdir(folder):
        raise InputError(f"A pretrained model is a folder. Received: {folder}")
    for name in names:
        path = tf.io.gfile.join(folder, name)
        if tf.io.gfile.exists(path):
            return path
    raise InputError(f"A pretrained model needs {' or '.join(names)}. Received: {folder} without")
