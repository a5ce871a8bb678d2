"""Any value of the JSON files of a folder, replaced: it is read, or the error is clear."""

import copy
import json
import pathlib

import pytest

from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.checkpoints.formats.sentence_transformers import (
    read_pooling,
    transformer_folder,
    write_pooling,
)
from bert_keras.checkpoints.formats.tokenizer_files import (
    read_tokenizer,
    write_hugging_face_tokenizer,
)
from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.checkpoints import stored_models

VALUES = [None, True, -1, 10**30, "", "\ud800", [], [[]], {}, {"content": 3}]
FILES = {
    "tokenizer.json": lambda folder: read_tokenizer(folder, ""),
    "tokenizer_config.json": lambda folder: read_tokenizer(folder, ""),
    "sentence_bert_config.json": lambda folder: read_tokenizer(folder, ""),
    "modules.json": lambda folder: (read_pooling(folder), transformer_folder(folder)),
    "1_Pooling/config.json": read_pooling,
}
FILES_OF_MODELS = [
    ("bert_keras", "config.json"),
    ("tf1", "bert_config.json"),
    ("hugging_face", "config.json"),
    ("hugging_face", "model.safetensors.index.json"),
]


def places(content, place=()):
    """The keys and indices that lead to each value within."""
    yield place
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from places(value, (*place, key))
        else:
            yield (*place, key)


def replaced(content, place, value):
    if not place:
        return value
    changed = inner = copy.deepcopy(content)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return changed


def assert_errors_are_clear(folder: pathlib.Path, name: str, read) -> None:
    path = folder / name
    content = json.loads(path.read_text())
    num_refused = 0
    for place in places(content):
        for value in VALUES:
            path.write_text(json.dumps(replaced(content, place, value)))
            try:
                read(str(folder))
            except InputError as error:
                assert str(folder) in str(error), (place, value)
                str(error).encode()
                num_refused += 1
    assert num_refused >= len(VALUES) - 2


@pytest.mark.parametrize("name", FILES)
def test_whatever_stands_there_the_error_is_clear(tmp_path, name):
    vocabulary = {token: index for index, token in enumerate([*SPECIAL_TOKENS, "port"])}
    write_hugging_face_tokenizer(WordPieceTokenizer(vocabulary), str(tmp_path), 128)
    write_pooling(Pooling(("mean", "cls"), normalize=True), str(tmp_path), 32)
    assert_errors_are_clear(tmp_path, name, FILES[name])


@pytest.mark.parametrize(("format_name", "name"), FILES_OF_MODELS)
def test_whatever_stands_beside_weights_the_error_is_clear(tmp_path, format_name, name):
    WRITERS[format_name](stored_models.stored("classifier"), str(tmp_path), 8192)
    assert_errors_are_clear(tmp_path, name, read_model)
