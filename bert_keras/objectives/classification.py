"""Classes of texts: cross-entropy and accuracy (paper, section 4.1).

`create_model` and `metric_fn` of run_classifier.py of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.loss import Loss, num_examples
from bert_keras.objectives.mean import Mean


def classification(outputs, features) -> dict[str, Mean]:
    """Logits [B, L] and `label_ids` [B] -> loss (nats) and accuracy, a mean over the examples."""
    logits = tf.cast(outputs["logits"], tf.float32)
    labels = features["label_ids"]
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    correct = tf.cast(tf.argmax(logits, axis=-1, output_type=labels.dtype) == labels, tf.float32)
    weights, count = features["example_weights"], num_examples(features)
    return {
        "classification_loss": Mean(tf.reduce_sum(losses * weights), count),
        "classification_accuracy": Mean(tf.reduce_sum(correct * weights), count),
    }


LOSSES = {"classification_loss": Loss(num_examples)}
ACCURACIES = ("classification_accuracy",)
