"""Pooling of token vectors, against numpy on the tokens alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.layers.sentence_pooling import SentencePooling

POOLINGS = {
    "cls": lambda tokens: tokens[0],
    "mean": lambda tokens: tokens.mean(axis=0),
    "max": lambda tokens: tokens.max(axis=0),
    "mean_sqrt_len": lambda tokens: tokens.sum(axis=0) / np.sqrt(len(tokens)),
}
# Padding behind, none, before, between, and one token.
MASK = np.array(
    [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 1, 0, 0], [1, 0, 0, 0, 0]]
)
WITHOUT_TOKEN = np.zeros((1, 5), int)


@pytest.fixture(scope="module")
def hidden():
    """[5, 5, 3]; what is no token would be seen in every result."""
    values = np.random.default_rng(0).normal(-3.0, 1.0, (5, 5, 3)).astype(np.float32)
    return np.where(MASK[..., np.newaxis], values, np.float32(1e6))


def expected(modes, hidden) -> np.ndarray:
    return np.stack(
        [
            np.concatenate([POOLINGS[mode](row[mask == 1]) for mode in modes])
            for row, mask in zip(hidden, MASK, strict=True)
        ]
    )


@pytest.mark.parametrize("modes", [*([mode] for mode in POOLINGS), [*POOLINGS], ["max", "cls"]])
def test_tokens_alone_count(hidden, modes):
    pooled = SentencePooling(modes)(hidden, MASK)
    np.testing.assert_allclose(pooled, expected(modes, hidden), rtol=1e-6)


def test_normalized_vectors_have_length_1(hidden):
    pooled = SentencePooling(["mean", "max"], normalize=True)(hidden, MASK)
    vectors = expected(["mean", "max"], hidden)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(pooled, vectors / lengths, rtol=1e-6)


@pytest.mark.parametrize("normalize", [True, False])
def test_a_row_without_tokens_gives_zeros_and_no_gradient(normalize):
    hidden = tf.Variable(tf.ones((1, 5, 3)))
    with tf.GradientTape() as tape:
        pooled = SentencePooling([*POOLINGS], normalize)(hidden, WITHOUT_TOKEN)
        total = tf.reduce_sum(pooled)
    np.testing.assert_array_equal(pooled, np.zeros((1, 12)))
    np.testing.assert_array_equal(tape.gradient(total, hidden), np.zeros((1, 5, 3)))


def test_bfloat16_is_summed_in_float32():
    hidden = tf.cast(tf.reshape([256.0, 1.0, 1.0, 1.0], (1, 4, 1)), tf.bfloat16)
    layer = SentencePooling(["mean"], dtype="mixed_bfloat16")
    pooled = layer(hidden, np.ones((1, 4), np.int32))
    assert pooled.dtype == tf.float32
    assert pooled.numpy().tolist() == [[259 / 4]]


def test_shape_is_known_before_it_runs():
    hidden, mask = keras.Input((None, 3)), keras.Input((None,), dtype="int32")
    pooled = SentencePooling(["max", "mean"])(hidden, mask)
    assert (pooled.shape, pooled.dtype) == ((None, 6), "float32")


@pytest.mark.parametrize("modes", [[], ["median"], ["mean", "lasttoken"], "mean"])
def test_other_modes_are_named(modes):
    with pytest.raises(InputError, match="some of cls, mean, max, mean_sqrt_len. Received"):
        SentencePooling(modes)
