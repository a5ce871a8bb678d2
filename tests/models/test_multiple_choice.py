import numpy as np
import pytest
import tensorflow as tf

from bert_keras.models.multiple_choice import multiple_choice
from tests import golden_model
from tests.models import golden_heads


@pytest.fixture(scope="module")
def model():
    return golden_heads.model(multiple_choice)


@pytest.fixture(scope="module")
def inputs(model):
    return golden_heads.inputs(model)  # one example of four choices


@pytest.mark.parametrize("shape", [(1, 4), (2, 2), (4, 1)])
def test_every_choice_is_scored_as_a_sequence_of_its_own(model, inputs, shape):
    weights, bias = golden_heads.head(model, "classifier")
    expected = golden_model.arrays("forward.npz")["pooled_output"] @ weights[0] + bias
    logits = model({name: tf.reshape(ids, [*shape, 24]) for name, ids in inputs.items()})["logits"]
    np.testing.assert_allclose(logits, expected.reshape(shape), atol=1e-4, rtol=0)


def test_choices_in_another_order_have_the_same_logits_in_that_order(model, inputs):
    order = [2, 0, 3, 1]
    permuted = {name: tf.gather(ids, order, axis=1) for name, ids in inputs.items()}
    expected = model(inputs)["logits"].numpy()[:, order]
    np.testing.assert_allclose(model(permuted)["logits"], expected, atol=1e-5, rtol=0)


def test_weights_of_four_choices_score_three(model, inputs):
    three = {name: ids[:, :3] for name, ids in inputs.items()}
    expected = model(inputs)["logits"][:, :3]
    np.testing.assert_allclose(model(three)["logits"], expected, atol=1e-5, rtol=0)


def test_batch_of_no_examples_has_no_logits(model, inputs):
    assert model({name: ids[:0] for name, ids in inputs.items()})["logits"].shape == (0, 4)


def test_compiles_as_a_whole_to_the_same_logits(inputs):
    model = golden_heads.model(multiple_choice, num_hidden_layers=1)
    compiled = tf.function(model, jit_compile=True)
    expected = model(inputs)["logits"]
    np.testing.assert_allclose(compiled(inputs)["logits"], expected, atol=1e-4, rtol=0)
