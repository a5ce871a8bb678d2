"""One of several choices: a softmax over those that an example has (paper, section 4.4)."""

import tensorflow as tf

from bert_keras.objectives.classification import classification
from bert_keras.objectives.mean import Mean


def multiple_choice(outputs, features) -> dict[str, Mean]:
    """Logits [B, C], `label_ids` [B] and `input_mask` [B, C, T] -> loss (nats) and accuracy.

    The classes of an example are its choices. One without any token is none: it has the
    probability 0 and no gradient.
    """
    logits = tf.cast(outputs["logits"], tf.float32)
    is_choice = tf.reduce_any(features["input_mask"] > 0, axis=-1)  # [B, C]
    logits = tf.where(is_choice, logits, logits.dtype.min)
    return classification({"logits": logits}, features)
