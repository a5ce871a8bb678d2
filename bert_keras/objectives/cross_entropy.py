"""Softmax cross-entropy over a vocabulary, in few passes over its memory.

Logits of 640 predictions over 30,522 words take 78 MB: what reads and writes them costs as much as
the product that makes them.
"""

import tensorflow as tf


@tf.custom_gradient
def cross_entropy(logits, labels):
    """Logits [R, V] and labels [R] -> losses [R] in nats, float32.

    The same numbers as `tf.nn.sparse_softmax_cross_entropy_with_logits`, whose kernel is slower.
    Computed in float32 from logits of any type; their gradient has their type.
    """
    logsumexp = _logsumexp(logits)  # [R]
    losses = logsumexp - tf.cast(tf.gather(logits, labels, batch_dims=1), tf.float32)
    return losses, lambda upstream: (_gradient(logits, labels, logsumexp, upstream), None)


@tf.function(jit_compile=True, autograph=False)
def is_most_likely(logits, labels):
    """Logits [R, V] and labels [R] -> whether argmax would give the label, bool [R]."""
    columns = tf.range(tf.shape(logits)[1], dtype=labels.dtype)
    earlier = tf.where(columns < labels[:, tf.newaxis], logits, logits.dtype.min)
    target = tf.gather(logits, labels, batch_dims=1)
    largest_earlier = tf.reduce_max(earlier, axis=-1)
    return (target >= tf.reduce_max(logits, axis=-1)) & ((target > largest_earlier) | (labels == 0))


@tf.function(jit_compile=True, autograph=False)
def _logsumexp(logits):
    logits = tf.cast(logits, tf.float32)
    largest = tf.reduce_max(logits, axis=-1, keepdims=True)
    totals = tf.reduce_sum(tf.exp(logits - largest), axis=-1)
    return tf.math.log(totals) + largest[:, 0]


@tf.function(jit_compile=True, autograph=False)
def _gradient(logits, labels, logsumexp, upstream):
    probs = tf.exp(tf.cast(logits, tf.float32) - logsumexp[:, tf.newaxis])
    targets = tf.one_hot(labels, tf.shape(logits)[1])
    return tf.cast((probs - targets) * upstream[:, tf.newaxis], logits.dtype)
