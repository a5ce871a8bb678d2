"""A pretrained model as a folder: config, vocabulary with its case setting, weights.

The folder has the layout of Google's releases (`bert_config.json`, `vocab.txt`,
`bert_model.ckpt.*`), so that one reader serves both, plus `tokenizer_config.json`.
"""

import json
from collections.abc import Callable

import keras
import tensorflow as tf

from bert_keras.checkpoints import bundle, tf1
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.bert import bert
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Ours first; the others are the names of Google's releases.
CONFIG_FILES = ("config.json", "bert_config.json")
VOCABULARY_FILE = "vocab.txt"
TOKENIZER_FILE = "tokenizer_config.json"
WEIGHTS_PREFIX = "bert_model.ckpt"


def from_pretrained(
    folder: str, build: Callable[[BertConfig], keras.Model] = bert
) -> tuple[keras.Model, WordPieceTokenizer]:
    """Loads a folder that `save_pretrained` wrote, or a TF1 release of Google's.

    Args:
        folder: where config, vocabulary and weights lie.
        build: which model is wanted: `bert` (the encoder) or another function of
            `bert_keras.models`, such as `pretrainer`.

    Returns:
        The model with its weights, and the tokenizer of its vocabulary. A release stores no case
        setting: it is cased if the name of the folder says so.

    Raises:
        InputError: a file is missing or damaged, or config, vocabulary and weights disagree.
    """
    config = BertConfig.from_json_file(_find(folder, CONFIG_FILES))
    tokenizer = WordPieceTokenizer(_find(folder, (VOCABULARY_FILE,)), **_case_setting(folder))
    if tokenizer.vocab_size > config.vocab_size:
        raise InputError(
            f"A vocabulary must not be larger than vocab_size={config.vocab_size} of the config. "
            f"Received: {tokenizer.vocab_size} entries in {folder}/{VOCABULARY_FILE}"
        )
    model = build(config)
    tf1.load_weights(model, tf.io.gfile.join(folder, WEIGHTS_PREFIX))
    return model, tokenizer


def save_pretrained(model: keras.Model, tokenizer: WordPieceTokenizer | None, folder: str) -> None:
    """Writes config, vocabulary with its case setting, and weights; makes the folder if needed.

    Without a tokenizer the folder lacks `vocab.txt`: it must be put there before it is loaded.

    Raises:
        InputError: the folder cannot be written.
    """
    try:
        tf.io.gfile.makedirs(folder)
        config = model.get_layer("embeddings").config
        _write(folder, CONFIG_FILES[0], config.to_json_string())
        if tokenizer is not None:
            _write_tokenizer(tokenizer, folder)
        weights = {tf1.original_name(weight.path): weight for weight in model.weights}
        bundle.write(tf.io.gfile.join(folder, WEIGHTS_PREFIX), weights)
    except tf.errors.OpError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.message}") from error


def _write_tokenizer(tokenizer: WordPieceTokenizer, folder: str) -> None:
    _write(folder, VOCABULARY_FILE, "".join(f"{token}\n" for token in tokenizer.vocab))
    case_setting = {
        "do_lower_case": tokenizer.do_lower_case,
        "strip_accents": tokenizer.strip_accents,
    }
    _write(folder, TOKENIZER_FILE, json.dumps(case_setting, indent=2) + "\n")


def _find(folder: str, names: tuple[str, ...]) -> str:
    if not tf.io.gfile.isdir(folder):
        raise InputError(f"A pretrained model is a folder. Received: {folder}")
    for name in names:
        path = tf.io.gfile.join(folder, name)
        if tf.io.gfile.exists(path):
            return path
    raise InputError(f"A pretrained model needs {' or '.join(names)}. Received: {folder} without")


def _case_setting(folder: str) -> dict:
    path = tf.io.gfile.join(folder, TOKENIZER_FILE)
    if not tf.io.gfile.exists(path):
        name = folder.rstrip("/").rpartition("/")[2]
        return {"do_lower_case": not name.startswith(("cased", "multi_cased"))}
    with tf.io.gfile.GFile(path) as file:
        setting = json.loads(file.read())
    return {"do_lower_case": setting["do_lower_case"], "strip_accents": setting["strip_accents"]}


def _write(folder: str, name: str, text: str) -> None:
    """Writes under another name and renames, so that nothing half written has the final one."""
    path = tf.io.gfile.join(folder, name)
    with tf.io.gfile.GFile(path + bundle.UNFINISHED, "w") as file:
        file.write(text)
    tf.io.gfile.rename(path + bundle.UNFINISHED, path, overwrite=True)
