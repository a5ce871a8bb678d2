"""A number for each text: mean squared error (STS-B; paper, section 4.1)."""

import tensorflow as tf

from bert_keras.objectives.loss import Loss, num_examples
from bert_keras.objectives.mean import Mean


def regression(outputs, features) -> dict[str, Mean]:
    """Logits [B, 1] and `scores` [B], in the unit of the data -> squared error, a mean over B."""
    predicted = tf.cast(outputs["logits"][:, 0], tf.float32)
    errors = tf.math.squared_difference(predicted, features["scores"])
    total = tf.reduce_sum(errors * features["example_weights"])
    return {"squared_error": Mean(total, num_examples(features))}


LOSSES = {"squared_error": Loss(num_examples)}
ACCURACIES = ()
