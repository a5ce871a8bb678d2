"""The folder of a converted model is whole or not there, and says what its model is for."""

import json
import pathlib

import pytest

from bert_keras.errors import InputError
from bert_keras.serving.converted_folder import (
    Page,
    check_positions,
    converted_folder,
    read_description,
)
from tests.serving.converted_heads import HEADS, loaded

PAGE = Page("A model", "model.bin", "It is small.", "print(inputs)\n", "LiteRTModel")


def write(model, folder, length=None, check=None) -> pathlib.Path:
    with converted_folder(model, str(folder), PAGE, length, check) as unfinished:
        pathlib.Path(unfinished, PAGE.file_name).write_bytes(b"weights")
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("heads")


@pytest.mark.parametrize("name", HEADS)
def test_the_folder_says_what_its_model_is_for(root, tmp_path, name):
    model = loaded(name, root)
    task, config, tokenizer = read_description(str(write(model, tmp_path / "new")))
    assert (task, config, tokenizer.vocab) == (model.task, model.config, model.tokenizer.vocab)


@pytest.mark.parametrize("length", [None, 16])
@pytest.mark.parametrize("name", HEADS)
def test_the_inputs_of_the_page_are_those_of_a_text(root, tmp_path, name, length, capsys):
    model = loaded(name, root)
    page = (write(model, tmp_path / "new", length) / "README.md").read_text()
    by_name = page.split("```python\n")[1].partition("```")[0]
    names = {}
    exec(by_name, names)
    assert names["inputs"].keys() == {*model.model.input}
    if length:
        assert {names["inputs"][key].shape[-1] for key in ("input_ids", "input_mask")} == {length}
    assert f"Task: {model.task.name}." in page


def test_nothing_is_left_of_what_a_check_refuses(root, tmp_path):
    seen = []

    def check(folder):
        seen.append(pathlib.Path(folder, PAGE.file_name).read_bytes())
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        write(loaded("tagging", root), tmp_path / "new", check=check)
    assert seen == [b"weights"] and not [*tmp_path.iterdir()]


def test_a_folder_that_names_no_task_or_an_unknown_field_is_refused(root, tmp_path):
    folder = write(loaded("tagging", root), tmp_path / "new")
    for said, message in (
        ({}, "a task.json that names one of .*with None"),
        ({"task": "tagging", "width": 1}, "the task tagging has max_seq_length.*'width'"),
    ):
        (folder / "task.json").write_text(json.dumps(said))
        with pytest.raises(InputError, match=message):
            read_description(str(folder))


def test_more_positions_than_the_model_has_are_refused(root):
    config = loaded("tagging", root).config
    check_positions(config.max_position_embeddings, config)
    with pytest.raises(InputError, match="max_position_embeddings=20. Received: 21 positions"):
        check_positions(21, config)
