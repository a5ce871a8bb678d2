import math

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import HIDDEN_ACTIVATIONS
from bert_keras.layers.activations import ACTIVATIONS
from bert_keras.layers.intermediate import Intermediate

INPUTS = np.arange(-48, 49, dtype=np.float32) / 8  # exact in bfloat16


def gaussian_error_linear_unit(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def test_every_activation_of_a_config_is_there():
    assert tuple(ACTIVATIONS) == HIDDEN_ACTIVATIONS


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(("dtype", "relative"), [("float32", 0.0), ("mixed_bfloat16", 2**-8)])
def test_exact_gelu_is_that_of_the_error_function(dtype, relative, training):
    """In bfloat16 it is computed in float32 and rounded once, in training in a compiled chain."""
    layer = Intermediate(len(INPUTS), "gelu_erf", dtype=dtype)
    layer.build((1, len(INPUTS)))
    layer.dense.kernel.assign(tf.eye(len(INPUTS)))
    expected = np.array([gaussian_error_linear_unit(float(x)) for x in INPUTS])
    actual = tf.cast(layer(INPUTS[None], training=training)[0], tf.float32)
    error = np.abs(actual - expected)
    assert (error <= 1e-6 + relative * np.abs(expected)).all()


def test_both_forms_of_gelu_differ_as_little_as_is_known():
    difference = np.abs(ACTIVATIONS["gelu"](INPUTS) - ACTIVATIONS["gelu_erf"](INPUTS)).max()
    assert 4e-4 < difference < 5e-4
