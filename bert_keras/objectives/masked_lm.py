"""Masked language modeling: loss and accuracy at the masked positions (paper, section 3.1).

`get_masked_lm_output` and `metric_fn` of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.cross_entropy import cross_entropy, is_most_likely
from bert_keras.objectives.mean import Mean


def masked_lm(logits, masked_lm_ids, masked_lm_weights) -> dict[str, Mean]:
    """Logits [B, P, V], ids [B, P] and weights [B, P] (0 = padding) -> loss (nats) and accuracy."""
    rows = tf.reshape(logits, [-1, logits.shape[-1]])  # [B * P, V]
    labels = tf.reshape(masked_lm_ids, [-1])
    weights = tf.reshape(masked_lm_weights, [-1])
    losses = cross_entropy(rows, labels)
    correct = tf.cast(is_most_likely(rows, labels), tf.float32)
    count = tf.reduce_sum(weights)
    return {
        "masked_lm_loss": Mean(tf.reduce_sum(losses * weights), count),
        "masked_lm_accuracy": Mean(tf.reduce_sum(correct * weights), count),
    }
