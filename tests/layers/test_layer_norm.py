import numpy as np
import pytest
import tensorflow as tf

from bert_keras.layers.layer_norm import LayerNorm


def test_epsilon_is_small_enough_for_small_rows():
    """A library's default of 1e-3 would give 0.0632 (keras-team/keras-hub#642)."""
    row = np.array([[0, 0.002, -0.002, 0]], np.float32)
    np.testing.assert_allclose(LayerNorm()(row), [[0, 2**0.5, -(2**0.5), 0]], rtol=1e-5)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_constant_row_is_beta_in_half_precision(kind):
    """1e-12 is 0 in float16: computed there, the row would be 0 / 0."""
    layer = LayerNorm(dtype=f"mixed_{kind}")
    layer.build((1, 4))
    layer.beta.assign([0.25] * 4)
    outputs = layer(tf.ones([1, 4], kind))
    assert outputs.dtype == kind
    np.testing.assert_array_equal(outputs, [[0.25] * 4])


def test_large_mean_loses_no_precision():
    row = np.array([[1000.0, 1001.0, 1002.0, 1003.0]], np.float32)
    expected = (row.astype(np.float64) - row.mean()) / row.astype(np.float64).std()
    np.testing.assert_allclose(LayerNorm()(row), expected, rtol=1e-6)
