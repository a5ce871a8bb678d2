"""bfloat16 products between float32 weights: the float32 model is the reference."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.models.bert import bert
from bert_keras.models.packed_pretrainer import packed_pretrainer
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import pretraining
from bert_keras.training import step
from bert_keras.training.precision import precision
from tests import golden_model
from tests.models.test_packed_pretrainer import features, packed

BATCHES = {
    pretrainer: golden_model.features(),
    packed_pretrainer: packed(features([7, 24, 12, 9, 15]))[1],
}


def model(build, name="bfloat16"):
    with precision(name):
        return golden_model.model(build)


def loss_and_gradients(trained, batch):
    denominators = golden_model.denominators(batch)
    means, gradients = step.gradients(trained, pretraining, denominators, batch)
    gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
    return step.total_loss(means, denominators), gradients


@pytest.mark.parametrize("build", BATCHES)
def test_loss_and_gradients_are_near_those_of_float32(build):
    loss, gradients = loss_and_gradients(model(build), BATCHES[build])
    expected, references = loss_and_gradients(model(build, "float32"), BATCHES[build])
    assert {value.dtype for value in (loss, *gradients)} == {tf.float32}
    assert abs(loss - expected) < 0.01
    difference = [value - other for value, other in zip(gradients, references, strict=True)]
    assert tf.linalg.global_norm(difference) < 0.02 * tf.linalg.global_norm(references)


@pytest.mark.parametrize("build", [bert, *BATCHES])
def test_weights_and_logits_are_float32_and_what_lies_between_is_not(build):
    built = model(build)
    assert {variable.dtype for variable in built.weights} == {"float32"}
    hidden = built.get_layer("layer_0").output
    assert hidden.dtype == "bfloat16"
    expected = "bfloat16" if build is bert else "float32"
    assert {output.dtype for output in built.outputs} == {expected}


@pytest.mark.slow
def test_training_learns_as_in_float32():
    """The rounding is noise of another run's size: the curves keep together, not the weights."""
    curves = []
    for name in ("float32", "bfloat16"):
        trained = model(pretrainer, name)
        optimizer = keras.optimizers.Adam(1e-3)
        optimizer.build(trained.trainable_variables)

        @tf.function
        def take_step(trained=trained, optimizer=optimizer):
            loss, gradients = loss_and_gradients(trained, BATCHES[pretrainer])
            optimizer.apply(gradients)
            return loss

        curves.append([float(take_step()) for _ in range(30)])
    full, half = np.array(curves)
    assert full[-1] < 0.5 * full[0]
    np.testing.assert_allclose(half, full, atol=0.02 * full[0])
