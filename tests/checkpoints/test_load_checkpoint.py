"""Weights of any format come into a model that has its own config."""

import dataclasses

import keras
import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.pretrained import (
    check_stored_case,
    load_checkpoint,
    save_pretrained,
)
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model
from tests.checkpoints import stored_models
from tests.checkpoints.stored_models import write


@pytest.mark.parametrize("format_name", WRITERS)
def test_every_program_begins_with_weights_of_any_format(format_name, tmp_path):
    original = stored_models.stored("pretrainer")
    write(original, f"{tmp_path}/model", format_name)
    (tmp_path / "model" / "vocab.txt").unlink()  # a program has its own
    model = pretrainer(original.config)
    assert load_checkpoint(model, tmp_path / "model").missing == []
    for name, variable in named_variables(model).items():
        np.testing.assert_array_equal(variable.value, original.weights.read(name))


@pytest.mark.parametrize("format_name", WRITERS)
@pytest.mark.parametrize(
    ("key", "value"),
    [("num_attention_heads", 4), ("hidden_act", "gelu_erf"), ("layer_norm_epsilon", 1e-5)],
)
def test_config_that_would_compute_something_else_is_refused(format_name, key, value, tmp_path):
    """No shape shows these: MiniLM has 12 heads of 32, and a config of its size has 6 of 64."""
    original = stored_models.stored("bert")
    write(original, f"{tmp_path}/model", format_name)
    model = bert_keras.bert(dataclasses.replace(original.config, **{key: value}))
    with pytest.raises(InputError, match=f"{key} is .*{value}"):
        load_checkpoint(model, tmp_path / "model")


def test_weights_are_no_integers(tmp_path):
    values = stored_models.values(stored_models.stored("bert"))
    values["bert/pooler/dense/bias"] = np.zeros(16, np.int64)
    bundle.write(f"{tmp_path}/model.ckpt", values)
    with pytest.raises(InputError, match="floating-point.*bert/pooler/dense/bias of type int64"):
        load_checkpoint(bert_keras.bert(stored_models.CONFIG), tmp_path / "model.ckpt")


def test_model_without_variables_is_told_what_to_do():
    with pytest.raises(InputError, match="not built.*Call it once"):
        named_variables(keras.Sequential([keras.layers.Dense(2)]))


def test_head_for_another_number_of_classes_is_left_fresh(tmp_path, capsys):
    write(stored_models.stored("classifier"), f"{tmp_path}/model", "tf1")
    model = bert_keras.classifier(dataclasses.replace(stored_models.CONFIG, labels=("a", "b")))
    assert load_checkpoint(model, tmp_path / "model").missing == ["output_weights", "output_bias"]
    assert "its head has 3 outputs and not 2, and is not used" in capsys.readouterr().err


def test_case_that_the_weights_were_trained_with_is_known(tmp_path):
    save_pretrained(
        golden_model.model(), WordPieceTokenizer({"[UNK]": 0}, do_lower_case=False), tmp_path
    )
    check_stored_case(False, str(tmp_path))
    with pytest.raises(InputError, match="Pass --do_lower_case=False"):
        check_stored_case(True, f"{tmp_path}/bert_model.ckpt")
