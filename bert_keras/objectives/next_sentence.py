"""Next-sentence prediction: loss and accuracy of the pair (paper, section 3.1).

`get_next_sentence_output` and `metric_fn` of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.mean import Mean


def next_sentence(logits, next_sentence_labels, weights=1.0) -> dict[str, Mean]:
    """Logits [..., 2] and as many labels (1 = random) -> loss (nats) and accuracy.

    The weights are as many as the labels (0 = no pair), or a number for all of them.
    """
    logits = tf.cast(tf.reshape(logits, [-1, 2]), tf.float32)
    labels = tf.reshape(next_sentence_labels, [-1])
    weights = tf.broadcast_to(tf.reshape(weights, [-1]), tf.shape(labels))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    correct = tf.cast(tf.argmax(logits, axis=-1, output_type=labels.dtype) == labels, tf.float32)
    count = tf.reduce_sum(weights)
    return {
        "next_sentence_loss": Mean(tf.reduce_sum(losses * weights), count),
        "next_sentence_accuracy": Mean(tf.reduce_sum(correct * weights), count),
    }
