"""Names against those of a real release of Google's, all 206."""

import pathlib

import keras
import pytest
import tensorflow as tf

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.loading import match, named_variables
from bert_keras.checkpoints.names import (
    is_known,
    is_state,
    names_of,
    original_name,
    weight_of_state,
)
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from tests.checkpoints import stored_models

CHINESE = pathlib.Path(__file__).parents[1] / "golden" / "chinese_index" / "bert_model.ckpt"


def released_shapes() -> dict[str, tuple[int, ...]]:
    reader = tf.train.load_checkpoint(str(CHINESE))
    return {name: tuple(shape) for name, shape in reader.get_variable_to_shape_map().items()}


def test_every_name_and_shape_of_a_release_is_that_of_our_model():
    assert len(released_shapes()) == 206
    with keras.StatelessScope(initialize_variables=False):  # shapes only
        variables = named_variables(pretrainer(BertConfig.base(vocab_size=21128)))
    shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
    assert shapes == released_shapes()


@pytest.mark.parametrize("model", BUILDERS)
def test_names_of_every_model_are_those_of_its_variables(model):
    built = BUILDERS[model](stored_models.CONFIG)
    assert sorted(names_of(model, num_layers=2)) == sorted(named_variables(built))


def test_a_foreign_name_is_not_known():
    known = ("bert/encoder/layer_11/output/dense/bias", "output_bias", "global_step")
    assert all(map(is_known, known))
    foreign = ("extra_head/w", "bert/encoder/layer_#x/output/dense/bias", "model/bert/pooler/dense")
    assert not any(map(is_known, foreign))


def test_config_of_another_release_names_tensor_shapes_and_key_without_reading_a_value():
    def read(name):
        raise AssertionError(f"{name} was read")

    weights = Weights("chinese", released_shapes(), read)
    for key, stored, wanted in (("vocab_size", 21128, 30522), ("intermediate_size", 3072, 4096)):
        of_config = {
            name: tuple(wanted if size == stored else size for size in shape)
            for name, shape in released_shapes().items()
        }
        with pytest.raises(InputError, match=f"{stored}.*{wanted}.*Change {key} of"):
            match(weights, of_config)


def test_an_index_without_its_data_is_refused_by_the_name_of_the_missing_file():
    with pytest.raises(InputError, match="data-00000-of-00001"):
        bundle.open_weights(CHINESE)


def test_name_of_a_layer_that_the_original_lacks_is_its_path():
    assert original_name("span_head/kernel") == "span_head/kernel"
    path = "layer_12/output/dense/bias"
    assert original_name(path) == "bert/encoder/layer_12/output/dense/bias"


def test_heads_of_the_tasks_have_the_names_of_the_programs_that_trained_them():
    assert original_name("classifier/output_weights") == "output_weights"  # run_classifier.py
    assert original_name("squad/output_bias") == "cls/squad/output_bias"  # run_squad.py


def test_state_is_no_weight_and_a_moment_belongs_to_one():
    for name in ("global_step", "bert/pooler/dense/bias/adam_m", "dropout_seed_3"):
        assert is_state(name)
    assert not is_state("bert/pooler/dense/bias")
    assert weight_of_state("bert/pooler/dense/bias/adam_v") == "bert/pooler/dense/bias"
    assert weight_of_state("global_step") == "global_step"
