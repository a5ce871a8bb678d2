import numpy as np
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.objectives.cross_entropy import cross_entropy, is_most_likely


def test_losses_and_gradients_are_tensorflows():
    logits = tf.random.stateless_normal([6, 50], [1, 2]) * 20
    labels = tf.constant([0, 1, 49, 7, 7, 20])
    upstream = tf.random.stateless_normal([6], [3, 4])
    results = []
    for function in (
        cross_entropy,
        lambda logits, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits),
    ):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            losses = function(logits, labels)
        results.append((losses, tape.gradient(losses, logits, upstream)))
    for actual, expected in zip(*results, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_losses_of_bfloat16_logits_are_those_of_the_same_numbers_in_float32():
    logits = tf.cast(tf.random.stateless_normal([6, 50], [1, 2]) * 20, tf.bfloat16)
    labels = tf.constant([0, 1, 49, 7, 7, 20])
    losses = cross_entropy(logits, labels)
    assert losses.dtype == tf.float32
    np.testing.assert_array_equal(losses, cross_entropy(tf.cast(logits, tf.float32), labels))


def test_huge_logits_overflow_nothing():
    losses = cross_entropy(tf.constant([[1e30, -1e30, 0.0]]), tf.constant([0]))
    np.testing.assert_array_equal(losses, [0.0])


@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=8))
def test_most_likely_is_argmax_also_where_logits_are_equal(rows):
    logits = np.array(rows, np.float32)
    for label in range(4):
        labels = np.full([len(rows)], label, np.int32)
        np.testing.assert_array_equal(
            is_most_likely(logits, labels), np.argmax(logits, axis=-1) == label
        )
