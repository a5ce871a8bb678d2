"""Next-sentence prediction: loss and accuracy of the pair (paper, section 3.1).

`get_next_sentence_output` and `metric_fn` of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.mean import Mean


def next_sentence(logits, next_sentence_labels) -> dict[str, Mean]:
    """Logits [B, 2] and labels [B, 1] (1 = random) -> loss (nats) and accuracy."""
    logits = tf.cast(logits, tf.float32)
    labels = tf.reshape(next_sentence_labels, [-1])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  # [B]
    correct = tf.cast(tf.argmax(logits, axis=-1, output_type=labels.dtype) == labels, tf.float32)
    count = tf.cast(tf.size(labels), tf.float32)
    return {
        "next_sentence_loss": Mean(tf.reduce_sum(losses), count),
        "next_sentence_accuracy": Mean(tf.reduce_sum(correct), count),
    }
