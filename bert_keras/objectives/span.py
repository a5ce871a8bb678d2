"""Where an answer starts and ends: loss and accuracy (paper, section 4.2).

The loss of `model_fn_builder` in `run_squad.py` of google-research/bert.
"""

import tensorflow as tf

from bert_keras.objectives.loss import Loss, num_examples
from bert_keras.objectives.mean import Mean


def span(outputs, features) -> dict[str, Mean]:
    """Outputs of a `question_answering` model and features of a batch -> loss (nats), accuracies.

    `start_logits` and `end_logits` [B, T] are scores of all positions, those of padding too, as in
    the original. `start_positions` and `end_positions` [B] are where the answer lies; a position
    outside costs nothing, as there. The loss is the mean of both; `example_weights` [B] count.
    """
    weights, count = features["example_weights"], num_examples(features)
    losses, correct = zip(
        _of_position(outputs["start_logits"], features["start_positions"]),
        _of_position(outputs["end_logits"], features["end_positions"]),
        strict=True,
    )
    return {
        "span_loss": Mean(tf.reduce_sum(weights * (losses[0] + losses[1]) / 2), count),
        "start_accuracy": Mean(tf.reduce_sum(weights * correct[0]), count),
        "end_accuracy": Mean(tf.reduce_sum(weights * correct[1]), count),
    }


LOSSES = {"span_loss": Loss(num_examples)}
ACCURACIES = ("start_accuracy", "end_accuracy")


def _of_position(logits, positions):
    """Logits [B, T] and positions [B] -> losses, and 1.0 where argmax is right, else 0.0; [B]."""
    targets = tf.one_hot(positions, tf.shape(logits)[1])  # all zeros for a position outside
    losses = -tf.reduce_sum(targets * tf.nn.log_softmax(logits), axis=-1)
    most_likely = tf.argmax(logits, axis=-1, output_type=positions.dtype)
    return losses, tf.cast(most_likely == positions, tf.float32)
