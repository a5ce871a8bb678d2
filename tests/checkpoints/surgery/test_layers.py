import dataclasses

import keras
import numpy as np
import pytest

from bert_keras.checkpoints.names import is_state
from bert_keras.checkpoints.surgery.layers import keep_layers
from bert_keras.errors import InputError
from bert_keras.models.bert import bert, hidden_states
from bert_keras.models.pretrainer import pretrainer
from tests import golden_model
from tests.checkpoints.surgery import models

INPUTS = ("input_ids", "input_mask", "segment_ids")


@pytest.fixture(scope="module")
def full():
    return golden_model.model(bert)


def test_lower_layers_give_the_hidden_states_of_the_full_model(full):
    inputs = golden_model.inputs(INPUTS)
    states = keras.Model(full.inputs, hidden_states(full))(inputs)
    model, report = models.loaded(keep_layers(models.golden(), range(2)), bert)
    np.testing.assert_array_equal(model(inputs)["sequence_output"], states[2])
    assert not report.missing


def test_layers_stand_on_each_other_in_the_order_given(full):
    inputs = golden_model.inputs(INPUTS)
    hidden, _ = full.get_layer("embeddings")(inputs["input_ids"], inputs["segment_ids"])
    for index in (2, 0):
        hidden = full.get_layer(f"layer_{index}")(hidden, inputs["input_mask"][:, None])
    model, _ = models.loaded(keep_layers(models.golden(), [2, 0]), bert)
    outputs = model(inputs)
    np.testing.assert_allclose(outputs["sequence_output"], hidden, rtol=0, atol=1e-6)
    pooled = full.get_layer("pooler")(hidden)
    np.testing.assert_allclose(outputs["pooled_output"], pooled, rtol=0, atol=1e-6)


def test_weights_of_a_layer_are_kept_under_its_new_number():
    stored = models.golden()
    new = keep_layers(stored, [2])
    assert new.config.num_hidden_layers == 1
    for name in new.weights.shapes:
        old = stored.weights.read(name.replace("layer_0/", "layer_2/"))
        np.testing.assert_array_equal(new.weights.read(name), old)
    _, report = models.loaded(new, pretrainer)
    assert (report.missing, report.unused) == ([], [])


def test_all_layers_are_the_model_itself():
    stored = models.golden()
    new = keep_layers(stored, range(3))
    assert new.config == stored.config
    assert models.values(new).keys() == models.values(stored).keys()


def test_state_of_a_training_is_left_out_and_said_once(capsys):
    stored = models.golden("trained_model.ckpt-8")
    new = keep_layers(keep_layers(stored, [0, 1]), [0])
    assert not any(map(is_state, new.weights.shapes))
    num_state = sum(map(is_state, stored.weights.shapes))
    notices = capsys.readouterr().err
    assert notices.count("is left out") == 1
    assert f"({num_state} tensors:" in notices


@pytest.mark.parametrize("layers", [[], [0, 0], [3], [-1], [0, 1, 2, 3]])
def test_layers_must_be_there_and_differ(layers):
    with pytest.raises(InputError, match=r"one or more of 0 to 2, each once. Received: \["):
        keep_layers(models.golden(), layers)


def test_config_of_more_layers_than_the_weights_have_is_an_error():
    lacking = keep_layers(models.golden(), [0])
    stored = models.golden()
    with pytest.raises(InputError, match=r"no layer \[2\]. Received: num_hidden_layers=3"):
        keep_layers(dataclasses.replace(stored, weights=lacking.weights), [0, 2])
