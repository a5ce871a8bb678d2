import dataclasses
import shutil

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.loading import load_weights
from bert_keras.checkpoints.names import POSITIONS, original_name
from bert_keras.checkpoints.pretrained import load_checkpoint
from bert_keras.errors import InputError
from bert_keras.models.bert import bert
from bert_keras.models.pretrainer import pretrainer
from tests import golden_model


def tensors(checkpoint="bert_model.ckpt") -> dict[str, np.ndarray]:
    reader = tf.train.load_checkpoint(str(golden_model.FOLDER / checkpoint))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def write(folder, values) -> str:
    prefix = str(folder / "model.ckpt")
    bundle.write(prefix, values)
    return prefix


def test_every_weight_is_read():
    model = pretrainer(golden_model.config())
    report = load_checkpoint(model, str(golden_model.FOLDER / "bert_model.ckpt"))
    expected = tensors()
    assert (sorted(report.used), report.unused, report.missing) == (sorted(expected), [], [])
    for weight in model.weights:
        np.testing.assert_array_equal(weight, expected[original_name(weight.path)])


def test_slots_step_and_seeds_are_no_weights_and_foreign_variables_are_named(tmp_path):
    added = {"extra_head/w": np.zeros(3, np.float32), "output_bias": np.zeros(2, np.float32)}
    seeds = {"dropout_seed_0": np.zeros(2, np.int32)}
    prefix = write(tmp_path, tensors("trained_model.ckpt-8") | added | seeds)
    report = load_checkpoint(pretrainer(golden_model.config()), prefix)
    assert (report.unused, report.missing) == (["extra_head/w", "output_bias"], [])
    assert list(report.notices("x")) == ["x: 2 not used: extra_head/w, output_bias"]


def test_missing_heads_keep_their_initial_values(tmp_path):
    encoder_only = {name: value for name, value in tensors().items() if name.startswith("bert/")}
    model = pretrainer(golden_model.config())
    report = load_checkpoint(model, write(tmp_path, encoder_only))
    assert report.missing == [name for name in report.missing if name.startswith("cls/")]
    assert len(report.missing) == 7
    assert next(report.notices("x")).startswith("new, to be learned: cls/")


def test_what_is_not_optional_must_be_there(tmp_path):
    encoder_only = {name: value for name, value in tensors().items() if name.startswith("bert/")}
    with pytest.raises(InputError, match="cls/predictions"):
        weights = bundle.open_weights(write(tmp_path, encoder_only))
        load_weights(pretrainer(golden_model.config()), weights, optional=())


def test_other_prefix_is_an_error_with_the_closest_name(tmp_path):
    prefixed = {f"model/{name}": value for name, value in tensors().items()}
    with pytest.raises(InputError, match=r"closest there: model/bert/embeddings/word_embeddings"):
        load_checkpoint(bert(golden_model.config()), write(tmp_path, prefixed))


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("intermediate_size", 48, "intermediate/dense/kernel"),
        ("vocab_size", 161, "word_embeddings"),
        ("max_position_embeddings", 39, "position_embeddings"),
        ("type_vocab_size", 16, "token_type_embeddings"),
        ("hidden_size", 64, "embeddings/word_embeddings"),
    ],
)
def test_config_that_disagrees_is_named_with_both_shapes(key, value, name):
    model = pretrainer(dataclasses.replace(golden_model.config(), **{key: value}))
    before = [weight.numpy() for weight in model.weights]
    with pytest.raises(InputError, match=rf"{name} has the shape .*\[.*\].*Change {key} "):
        load_checkpoint(model, str(golden_model.FOLDER / "bert_model.ckpt"))
    for weight, old in zip(model.weights, before, strict=True):
        np.testing.assert_array_equal(weight, old)


def test_rows_beyond_a_shorter_position_table_keep_their_initial_values():
    """The second phase of pre-training: longer sequences, from the weights of shorter ones."""
    model = pretrainer(dataclasses.replace(golden_model.config(), max_position_embeddings=64))
    initial = model.get_layer("embeddings").position_embeddings.numpy()
    report = load_checkpoint(model, str(golden_model.FOLDER / "bert_model.ckpt"))
    weights = {original_name(weight.path): weight.numpy() for weight in model.weights}
    for name, value in tensors().items():
        np.testing.assert_array_equal(weights[name][: len(value)], value)
        assert len(weights[name]) == len(value) or name == POSITIONS
    np.testing.assert_array_equal(weights[POSITIONS][40:], initial[40:])
    assert list(report.notices("x")) == [
        "x: bert/embeddings/position_embeddings has 40 rows of 64; rows 40 to 63 are left at their "
        "initial values"
    ]


def test_longer_position_table_does_not_excuse_another_width(tmp_path):
    config = dataclasses.replace(golden_model.config(), hidden_size=64, max_position_embeddings=64)
    positions = {POSITIONS: np.zeros((40, 32), np.float32)}
    fitting = {original_name(weight.path): weight for weight in pretrainer(config).weights}
    with pytest.raises(InputError, match="Change max_position_embeddings and hidden_size"):
        load_checkpoint(pretrainer(config), write(tmp_path, fitting | positions))


def test_no_checkpoint_is_an_error(tmp_path):
    with pytest.raises(InputError, match="prefix of its .index and .data files"):
        load_checkpoint(bert(golden_model.config()), str(tmp_path / "bert_model.ckpt"))


def test_damaged_checkpoint_is_an_error(tmp_path):
    for suffix in (bundle.INDEX_SUFFIX, bundle.DATA_SUFFIX):
        shutil.copy(golden_model.FOLDER / f"bert_model.ckpt{suffix}", tmp_path)
    data = tmp_path / f"bert_model.ckpt{bundle.DATA_SUFFIX}"
    data.write_bytes(data.read_bytes()[:5000])
    with pytest.raises(InputError, match="damaged|prefix of its"):
        load_checkpoint(bert(golden_model.config()), str(tmp_path / "bert_model.ckpt"))
