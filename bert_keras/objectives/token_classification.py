"""Cross entropy and accuracy of labeled tokens (paper, section 5.3 and figure 4d).

The original has no code for it.
"""

import tensorflow as tf

from bert_keras.objectives.loss import Loss
from bert_keras.objectives.mean import Mean


def token_classification(outputs, features) -> dict[str, Mean]:
    """Outputs of a token classifier and features of a batch -> loss (nats) and accuracy.

    `logits` [B, T, L]; `label_ids` [B, T]; `label_weights` [B, T], 0 where a position has no label:
    later pieces of a word, special tokens, padding. The others count alike, whatever their row.
    """
    logits = tf.cast(outputs["logits"], tf.float32)
    labels, weights = features["label_ids"], _weights(features)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  # [B, T]
    correct = tf.cast(tf.argmax(logits, axis=-1, output_type=labels.dtype) == labels, tf.float32)
    count = tf.reduce_sum(weights)
    return {
        "token_classification_loss": Mean(tf.reduce_sum(losses * weights), count),
        "token_classification_accuracy": Mean(tf.reduce_sum(correct * weights), count),
    }


def num_labeled(features) -> tf.Tensor:
    """How many labeled tokens the examples have."""
    return tf.reduce_sum(_weights(features))


LOSSES = {"token_classification_loss": Loss(num_labeled)}
ACCURACIES = ("token_classification_accuracy",)


def _weights(features):
    return features["label_weights"] * features["example_weights"][:, tf.newaxis]
