"""Softmax followed by dropout, with a backward chain of one pass."""

import tensorflow as tf

from bert_keras.layers.dropout import drop


def dropped_softmax(scores, random_bits, rate: float):
    """Scores and random uint16 numbers [..., T] -> probabilities [..., T], some dropped."""

    @tf.custom_gradient
    def run(scores):
        probs = tf.nn.softmax(scores)
        return (
            _drop(probs, random_bits, rate=rate),
            lambda upstream: _gradient(probs, random_bits, upstream, rate=rate),
        )

    return run(scores)


_drop = tf.function(drop, jit_compile=True, autograph=False)


@tf.function(jit_compile=True, autograph=False)
def _gradient(probs, random_bits, upstream, rate: float):
    weighted = drop(upstream, random_bits, rate) * probs
    # A sum over the last axis as a product: XLA vectorizes it on a CPU, which it does not a sum.
    length = tf.shape(probs)[-1]
    totals = tf.matmul(tf.reshape(weighted, [-1, length]), tf.ones([length, 1]))
    totals = tf.reshape(totals, tf.concat([tf.shape(probs)[:-1], [1]], axis=0))
    return weighted - totals * probs
