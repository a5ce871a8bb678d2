"""Every compiled chain gives the values and gradients of its plain operations."""

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.layers.activations import ACTIVATIONS
from bert_keras.layers.dropout import drop
from bert_keras.layers.dropped_softmax import dropped_softmax
from bert_keras.layers.embeddings import norm_and_drop
from bert_keras.layers.intermediate import add_and_activate
from bert_keras.layers.layer_norm import layer_norm
from bert_keras.layers.residual import drop_add_norm


def normal(*shape):
    return tf.random.stateless_normal(shape, seed=[len(shape), shape[-1]])


def bits(*shape):
    return tf.cast(tf.random.stateless_uniform(shape, [1, 2], 0, 2**16, tf.int32), tf.uint16)


def value_and_gradients(function, inputs):
    weights = normal(*function(*inputs).shape)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = function(*inputs)
        total = tf.reduce_sum(outputs * weights)
    return [outputs, *tape.gradient(total, inputs)]


def assert_equal_to_plain_operations(fast, plain, inputs):
    for actual, expected in zip(
        value_and_gradients(fast, inputs), value_and_gradients(plain, inputs), strict=True
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activation(activation):
    assert_equal_to_plain_operations(
        lambda product, bias: add_and_activate(product, bias, activation=activation),
        lambda product, bias: ACTIVATIONS[activation](product + bias),
        [normal(3, 5, 8), normal(8)],
    )


def test_residual_sum():
    random_bits = bits(3, 5, 8)
    assert_equal_to_plain_operations(
        lambda product, bias, residual, gamma, beta: drop_add_norm(
            product, bias, random_bits, residual, gamma, beta, rate=0.3, epsilon=1e-12
        ),
        lambda product, bias, residual, gamma, beta: layer_norm(
            drop(product + bias, random_bits, 0.3) + residual, gamma, beta, 1e-12
        ),
        [normal(3, 5, 8), normal(8), normal(3, 5, 8), normal(8), normal(8)],
    )


def test_end_of_the_embeddings():
    random_bits = bits(3, 5, 8)
    assert_equal_to_plain_operations(
        lambda tokens, positions, gamma, beta: norm_and_drop(
            tokens, positions, gamma, beta, random_bits, rate=0.3, epsilon=1e-12
        ),
        lambda tokens, positions, gamma, beta: drop(
            layer_norm(tokens + positions, gamma, beta, 1e-12), random_bits, 0.3
        ),
        [normal(3, 5, 8), normal(5, 8), normal(8), normal(8)],
    )


def test_softmax_with_dropout():
    random_bits = bits(2, 3, 5, 5)
    assert_equal_to_plain_operations(
        lambda scores: dropped_softmax(scores, random_bits, rate=0.3),
        lambda scores: drop(tf.nn.softmax(scores), random_bits, 0.3),
        [normal(2, 3, 5, 5)],
    )
