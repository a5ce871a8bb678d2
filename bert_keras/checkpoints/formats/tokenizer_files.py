"""The files of a tokenizer in a model's folder: `vocab.txt`, its settings, `tokenizer.json`.

Google's releases hold the vocabulary alone. Ours and Hugging Face's keep the case setting beside
it, under the same names.
"""

import os
import re

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, require_values, write_json
from bert_keras.checkpoints.formats import tokenizer_json
from bert_keras.checkpoints.formats.sentence_transformers import SENTENCE_FILE, lower_cases_text
from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    MASK,
    PADDING,
    SEPARATOR,
    UNKNOWN,
    check_case,
    known_case,
    load_vocabulary,
    save_vocabulary,
    vocabulary_size,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY_FILE = "vocab.txt"
SETTINGS_FILE = "tokenizer_config.json"
HUGGING_FACE_FILE = "tokenizer.json"

_CASE_SETTING = ("do_lower_case", "strip_accents")
_SETTINGS = (*_CASE_SETTING, "special_tokens_in_text")
# What the settings of Hugging Face may say, or be silent (None) about, of BERT's own tokenizer.
_BERTS_OWN = {
    "tokenizer_class": (
        None,
        "PreTrainedTokenizerFast",  # tokenizer.json says what it is
        "TokenizersBackend",
        "BertTokenizerFast",
        "BertTokenizer",
    ),
    "tokenize_chinese_chars": (None, True),
    "do_basic_tokenize": (None, True),
    "unk_token": (None, UNKNOWN),
}
_HUGGING_FACE_SPECIAL_TOKENS = {
    "cls_token": CLASSIFICATION,
    "sep_token": SEPARATOR,
    "pad_token": PADDING,
    "mask_token": MASK,
    "unk_token": UNKNOWN,
}


def read_tokenizer(
    folder: str, checkpoint: str, do_lower_case: bool | None = None
) -> WordPieceTokenizer | None:
    """The tokenizer of a folder: Google's, Hugging Face's or ours; None if it holds no vocabulary.

    Args:
        folder: holds `vocab.txt` or `tokenizer.json`, and `tokenizer_config.json` or not.
        checkpoint: the path of the weights, whose name may tell the case.
        do_lower_case: what the caller knows of it. Otherwise it is what the files say, or else the
            letters of the vocabulary, or else the names of weights and folder.

    Raises:
        InputError: a file is damaged; files contradict each other; the tokenizer is not BERT's.
    """
    vocabulary, settings = _read_vocabulary(folder)
    if vocabulary is None:
        return None
    settings |= _read_settings(tf.io.gfile.join(folder, SETTINGS_FILE))
    if do_lower_case is not None:
        settings["do_lower_case"] = do_lower_case
    if settings.get("do_lower_case") is None:
        known = known_case(vocabulary, checkpoint)
        settings["do_lower_case"] = not _is_named_cased(folder) if known is None else known
    tokenizer = WordPieceTokenizer(vocabulary, **settings)
    check_case(tokenizer.do_lower_case, tokenizer.vocab, checkpoint)
    if lower_cases_text(folder) and not tokenizer.do_lower_case:
        raise InputError(
            f"A tokenizer that keeps case must get texts as they are. Received: {folder}, whose "
            f"{SENTENCE_FILE} lower-cases them first. Set its do_lower_case to false, and "
            "lower-case the texts yourself."
        )
    return tokenizer


def stored_case(folder: str) -> bool | None:
    """The `do_lower_case` that the files beside weights say, if they do."""
    path = tf.io.gfile.join(folder, SETTINGS_FILE)
    said = read_json(path, dict).get("do_lower_case") if tf.io.gfile.exists(path) else None
    return said if isinstance(said, bool) else None


def write_tokenizer(tokenizer: WordPieceTokenizer, folder: str) -> None:
    """Writes vocabulary and settings, from which `read_tokenizer` makes the tokenizer again.

    Raises:
        InputError: a file cannot be written, or a token holds a line end.
    """
    save_vocabulary(tokenizer.vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    settings = {name: getattr(tokenizer, name) for name in _SETTINGS}
    write_json(tf.io.gfile.join(folder, SETTINGS_FILE), settings)


def write_hugging_face_tokenizer(
    tokenizer: WordPieceTokenizer, folder: str, model_max_length: int
) -> None:
    """Writes a tokenizer for `transformers.AutoTokenizer`, which finds the same ids with it.

    It puts [CLS] before and [SEP] behind a text and takes special tokens typed in a text for them;
    a special token that the vocabulary lacks it does not have either. A word of 101 to 200
    characters is [UNK] there (see `tokenizer_json`).

    Args:
        tokenizer: its settings are kept, so that `read_tokenizer` makes it again too.
        folder: must exist.
        model_max_length: the tokens of the longest text, [CLS] and [SEP] included.

    Raises:
        InputError: a file cannot be written, or a token holds a line end.
    """
    vocab = tokenizer.vocab
    specials = {
        name: token if token in vocab else None
        for name, token in _HUGGING_FACE_SPECIAL_TOKENS.items()
    }
    # BertTokenizer would make up ids of [CLS] and [SEP] where there are none.
    has_ends = CLASSIFICATION in vocab and SEPARATOR in vocab
    settings = {
        "tokenizer_class": "BertTokenizer" if has_ends else "PreTrainedTokenizerFast",
        **{name: getattr(tokenizer, name) for name in _SETTINGS},
        "tokenize_chinese_chars": True,
        **specials,
        "model_max_length": model_max_length,
    }
    save_vocabulary(vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    write_json(tf.io.gfile.join(folder, SETTINGS_FILE), settings)
    write_json(tf.io.gfile.join(folder, HUGGING_FACE_FILE), tokenizer_json.content(tokenizer))


def _read_vocabulary(folder: str) -> tuple[dict[str, int] | None, dict[str, bool | None]]:
    """The vocabulary, and the settings that `tokenizer.json` holds; None and nothing without."""
    vocab_file = tf.io.gfile.join(folder, VOCABULARY_FILE)
    hugging_face_file = tf.io.gfile.join(folder, HUGGING_FACE_FILE)
    listed = load_vocabulary(vocab_file) if tf.io.gfile.exists(vocab_file) else None
    if not tf.io.gfile.exists(hugging_face_file):
        return listed, {}
    vocabulary, settings = tokenizer_json.read(hugging_face_file)
    if listed is not None:
        _check_agreement(listed, vocabulary, folder)
    return vocabulary, settings


def _check_agreement(listed: dict[str, int], vocabulary: dict[str, int], folder: str) -> None:
    """`vocab.txt` may lack tokens behind its last line, those that were added; no more."""
    size = vocabulary_size(listed)
    differing = [
        item for item in listed.items() ^ vocabulary.items() if item[0] and (item[1] < size)
    ]
    if differing:
        token, _ = min(differing, key=lambda item: item[::-1])
        raise InputError(
            f"{VOCABULARY_FILE} and {HUGGING_FACE_FILE} in {folder} must hold the same ids. "
            f"Received: {token!r} with the id {listed.get(token, 'none')} in the one and "
            f"{vocabulary.get(token, 'none')} in the other. Remove the one that is not the model's."
        )


def _read_settings(path: str) -> dict[str, bool | None]:
    """What `tokenizer_config.json`, ours or Hugging Face's, says; it may say less or not exist."""
    if not tf.io.gfile.exists(path):
        return {}
    stored = read_json(path, dict)
    settings = {name: stored[name] for name in _SETTINGS if name in stored}
    if not all(isinstance(value, bool | None) for value in settings.values()):
        raise InputError(
            f"{path} must be a JSON object with true or false for {' and '.join(_SETTINGS)}. "
            f"Received: {settings}"
        )
    unknown = stored.get("unk_token")
    if isinstance(unknown, dict):  # some versions write more about it than the token
        stored["unk_token"] = unknown.get("content")
    require_values(path, "", stored, _BERTS_OWN, tokenizer_json.OTHER_TOKENIZER)
    return settings


def _is_named_cased(folder: str) -> bool:
    """Whether "cased" is a part of the name: `cased_L-12_…`, `multi_cased_L-12_…`, `bert-cased`."""
    return "cased" in re.split(r"[-_.]", os.path.basename(folder.rstrip("/")))
