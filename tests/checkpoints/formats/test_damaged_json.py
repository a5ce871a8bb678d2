"""Any value of the JSON files in a folder, replaced by another: a clear error, or a tokenizer."""

import copy
import json

import pytest

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

VALUES = [None, True, -1, 10**30, "", "\ud800", [], [[]], {}, {"content": 3}]
FILES = {
    "tokenizer.json": lambda folder: read_tokenizer(folder, ""),
    "tokenizer_config.json": lambda folder: read_tokenizer(folder, ""),
    "sentence_bert_config.json": lambda folder: read_tokenizer(folder, ""),
    "modules.json": lambda folder: (read_pooling(folder), transformer_folder(folder)),
    "1_Pooling/config.json": read_pooling,
}


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


@pytest.mark.parametrize("name", FILES)
def test_whatever_stands_there_the_error_is_clear(tmp_path, name):
    vocabulary = {token: index for index, token in enumerate([*SPECIAL_TOKENS, "port"])}
    write_hugging_face_tokenizer(WordPieceTokenizer(vocabulary), str(tmp_path), 128)
    write_pooling(Pooling(("mean", "cls"), normalize=True), str(tmp_path), 32)
    path = tmp_path / name
    content = json.loads(path.read_text())
    num_refused = 0
    for place in places(content):
        for value in VALUES:
            path.write_text(json.dumps(replaced(content, place, value)))
            try:
                FILES[name](str(tmp_path))
            except InputError as error:
                assert str(tmp_path) in str(error)
                str(error).encode()
                num_refused += 1
    assert num_refused >= len(VALUES) - 2
