"""Masked language modelling: loss and accuracy at the masked positions (paper, section 3.1).

`get_masked_lm_output` and `metric_fn` of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.mean import Mean


def masked_lm(logits, masked_lm_ids, masked_lm_weights) -> dict[str, Mean]:
    """Logits [B, P, V], ids [B, P] and weights [B, P] (0 = padding) -> loss (nats) and accuracy.

    The loss is divided by its count + 1e-5, as in the original: no masked position, no loss.
    """
    logits = tf.cast(logits, tf.float32)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(masked_lm_ids, logits)  # [B, P]
    predicted = tf.argmax(logits, axis=-1, output_type=masked_lm_ids.dtype)
    correct = tf.cast(predicted == masked_lm_ids, tf.float32)
    count = tf.reduce_sum(masked_lm_weights)
    return {
        "masked_lm_loss": Mean(tf.reduce_sum(losses * masked_lm_weights), count),
        "masked_lm_accuracy": Mean(tf.reduce_sum(correct * masked_lm_weights), count),
    }
