"""Any number of labels for each text: a yes or no for every label, which do not exclude each other.

The original has no such task; the loss is that of transformers' multi-label classification.
"""

import tensorflow as tf

from bert_keras.objectives.loss import Loss, num_examples
from bert_keras.objectives.mean import Mean


def multi_label(outputs, features) -> dict[str, Mean]:
    """Logits [B, L] and `label_marks` [B, L], 0 or 1 -> loss (nats) and accuracy.

    The loss is the mean over B and L of the cross-entropy of the sigmoid; the accuracy is the
    share of examples of which all L labels are right.
    """
    logits = tf.cast(outputs["logits"], tf.float32)
    marks = features["label_marks"]
    losses = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(marks, logits), axis=-1)
    is_right = tf.reduce_all((logits >= 0) == (marks > 0), axis=-1)  # [B]
    weights, count = features["example_weights"], num_examples(features)
    return {
        "multi_label_loss": Mean(tf.reduce_sum(losses * weights), count),
        "exact_match": Mean(tf.reduce_sum(tf.cast(is_right, tf.float32) * weights), count),
    }


LOSSES = {"multi_label_loss": Loss(num_examples)}
ACCURACIES = ("exact_match",)
