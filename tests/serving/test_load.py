import dataclasses
import json

import pytest

from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.errors import InputError
from bert_keras.serving.load import USUAL_POOLING, load_model
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.task import description
from tests.checkpoints import stored_models

NUM_POSITIONS = stored_models.CONFIG.max_position_embeddings


@pytest.fixture
def folder(tmp_path):
    """Model and what else is stored -> its folder."""

    def write(model="classifier", format_name="bert_keras", **changes):
        stored = dataclasses.replace(stored_models.stored(model), **changes)
        stored_models.write(stored, tmp_path / "model", format_name)
        return str(tmp_path / "model")

    return write


@pytest.mark.parametrize("format_name", ["bert_keras", "hugging_face"])
def test_a_folder_says_its_task_in_every_format_that_may(folder, format_name):
    path = folder(format_name=format_name, task=description(Classification(max_seq_length=7)))
    assert load_model(path).task == Classification(max_seq_length=7)
    assert load_model(path, max_seq_length=9).task == Classification(max_seq_length=9)
    assert load_model(path, max_seq_length=None).task == Classification(max_seq_length=7)


def test_without_a_word_texts_may_be_as_long_as_the_model_takes(folder):
    loaded = load_model(folder())
    assert loaded.task == Classification(max_seq_length=NUM_POSITIONS)
    assert loaded.config.labels == stored_models.CONFIG.labels
    assert loaded.model.name == "classifier"


def test_an_encoder_gives_the_vectors_that_its_files_describe(folder, capsys):
    pooling = Pooling(("cls", "mean"), normalize=True, max_seq_length=11)
    loaded = load_model(folder("bert", pooling=pooling))
    assert (loaded.pooling, loaded.task.max_seq_length) == (pooling, 11)
    assert (
        loaded.model.output["sentence_embedding"].shape[-1] == 2 * stored_models.CONFIG.hidden_size
    )
    assert not capsys.readouterr().err


def test_where_nothing_says_how_vectors_are_made_the_mean_is_taken_aloud(folder, capsys):
    loaded = load_model(folder("classifier"), "embedding")
    assert loaded.pooling == USUAL_POOLING
    assert "their mean is taken" in capsys.readouterr().err


def test_another_task_than_that_of_the_folder_has_its_usual_fields(folder):
    path = folder(task=description(Classification(max_seq_length=7)))
    assert load_model(path, "features").task.max_seq_length == NUM_POSITIONS


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"task": "classification", "max_seq_length": "7"}, "task.json: max_seq_length must be"),
        ({"task": "classification", "max_seq_length": 21}, "max_seq_length must be from 3 to 20"),
        ({"task": "tagging"}, "needs a model with the head of a token_classifier"),
        ({"task": ["tagging"]}, "must be one of"),
    ],
)
def test_a_task_that_cannot_be_is_refused(folder, task, message):
    path = folder()
    with open(f"{path}/task.json", "w") as file:
        json.dump(task, file)
    with pytest.raises(InputError, match=message):
        load_model(path)


@pytest.mark.parametrize("length", [2, NUM_POSITIONS + 1])
def test_a_length_that_no_text_can_have_is_refused(folder, length):
    with pytest.raises(InputError, match=f"max_seq_length must be from 3 to .*Received: {length}"):
        load_model(folder(), max_seq_length=length)


def test_the_folder_of_versions_is_refused_with_the_newest(folder, tmp_path):
    folder()
    for version in ("2", "10"):
        (tmp_path / "served" / version).mkdir(parents=True)
    with pytest.raises(InputError, match="Received: .*served with 10, 2. Is .*served/10 meant"):
        load_model(str(tmp_path / "served"))
