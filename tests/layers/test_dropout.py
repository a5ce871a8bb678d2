import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.layers.dropout import Dropout


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_share_and_scale(rate):
    keras.utils.set_random_seed(0)
    outputs = Dropout(rate)(tf.ones([1000, 1001]), training=True).numpy()
    dropped = np.mean(outputs == 0)
    assert abs(dropped - rate) < 3 * np.sqrt(rate * (1 - rate) / outputs.size)
    np.testing.assert_allclose(outputs[outputs != 0], 1 / (1 - rate), rtol=1e-3)
    np.testing.assert_allclose(outputs.mean(), 1, atol=0.01)


def test_rate_near_1_drops_nearly_all():
    outputs = Dropout(0.999999)(tf.ones([1000]), training=True).numpy()
    assert np.isfinite(outputs).all()
    assert np.mean(outputs == 0) > 0.99


def test_inference_and_rate_0_change_nothing():
    inputs = tf.random.normal([3, 5])
    assert Dropout(0.5)(inputs) is inputs
    assert Dropout(0.0)(inputs, training=True) is inputs


def test_masks_follow_from_the_seed_variable():
    layer = Dropout(0.5)
    inputs = tf.ones([64])
    state = layer.seed_generator.state.numpy()
    first, second = layer(inputs, training=True), layer(inputs, training=True)
    assert np.any(first != second)
    layer.seed_generator.state.assign(state)
    np.testing.assert_array_equal(layer(inputs, training=True), first)


def test_replicas_draw_different_masks():
    """Two processors of one machine as replicas, in a process of its own: devices are fixed."""
    program = """
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from bert_keras.layers.dropout import Dropout
strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
with strategy.scope():
    layer = Dropout(0.5)
masks = strategy.run(tf.function(lambda: layer(tf.ones([64]), training=True)))
first, second = strategy.experimental_local_results(masks)
print(int(tf.reduce_sum(tf.cast(first != second, tf.int32))))
"""
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert int(output) > 10
