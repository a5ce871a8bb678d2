"""The step gives the gradient of the whole batch, on replicas and in micro-batches."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.objectives.pretraining import pretraining
from bert_keras.training import step
from tests import golden_model

# A process of its own: logical devices are made before TensorFlow starts.
TWO_REPLICAS = """
import keras
import tensorflow as tf
from bert_keras.objectives.loss import Loss
from bert_keras.objectives.mean import Mean
from bert_keras.training import step

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

def num_examples(features):
    return tf.cast(tf.size(features["x"]), tf.float32)

def objective(outputs, features):
    return {"loss": Mean(tf.reduce_sum(outputs), num_examples(features))}

with strategy.scope():
    x = keras.Input(shape=(), name="x")
    layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Model({"x": x}, layer(keras.ops.expand_dims(x, -1)))
    optimizer = keras.optimizers.SGD(1.0)
    optimizer.build(model.trainable_variables)

@tf.function
def run(features):
    losses = {"loss": Loss(num_examples)}
    return strategy.run(step.train_step, (model, objective, losses, optimizer, features))

batch = tf.data.Dataset.from_tensors({"x": tf.constant([1.0, 3.0, 5.0, 7.0])}).unbatch().batch(4)
means = run(next(iter(strategy.experimental_distribute_dataset(batch))))
print([float(total) for total in strategy.experimental_local_results(means["loss"].total)])
print(float(model.trainable_variables[0].numpy().item()))
"""


def test_gradients_of_two_replicas_are_shares_of_one():
    """Loss w x with w = 1 and x = 1, 3 | 5, 7: the gradient is 4, the mean of all, not 2 or 8."""
    result = subprocess.run(
        [sys.executable, "-c", TWO_REPLICAS],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    totals, weight = result.stdout.splitlines()
    assert totals == "[4.0, 12.0]"
    assert abs(float(weight) - (1 - 4)) < 1e-4


@pytest.fixture(scope="module")
def uneven():
    """A model without dropout and its features, where half of the examples have no mask."""
    features = golden_model.features()
    num_examples = len(features["input_ids"])
    weights = features["masked_lm_weights"].numpy()
    weights[num_examples // 2 :] = 0
    return golden_model.model(), features | {"masked_lm_weights": tf.constant(weights)}


@pytest.mark.parametrize(
    "of_part, num_parts", [(step.gradients, 4), (step.compiled(step.gradients), 2)]
)
def test_gradients_of_parts_are_those_of_the_batch(uneven, of_part, num_parts):
    model, features = uneven
    arguments = (model, pretraining, golden_model.denominators(features), features)
    expected_means, expected = tf.function(step.gradients)(*arguments)
    means, gradients = tf.function(step.accumulated(of_part, num_parts))(*arguments)
    for name, mean in expected_means.items():
        np.testing.assert_allclose(means[name], mean, rtol=1e-5, err_msg=name)
    global_norm = tf.linalg.global_norm(expected)
    for variable, gradient, whole in zip(
        model.trainable_variables, gradients, expected, strict=True
    ):
        norm = global_norm if "key/bias" in variable.path else tf.norm(whole)
        assert tf.norm(gradient - whole) <= 1e-5 * norm, variable.path


def test_a_batch_without_a_masked_position_has_no_masked_lm_gradient(uneven):
    model, features = uneven
    nothing = features | {"masked_lm_weights": tf.zeros_like(features["masked_lm_weights"])}
    _, gradients = step.gradients(model, pretraining, golden_model.denominators(nothing), nothing)
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        assert np.isfinite(gradient).all(), variable.path
        if variable.path.startswith("predictions"):
            assert not np.any(gradient), variable.path
