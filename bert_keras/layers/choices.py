"""The choices of an example as rows of a batch, and back.

C is the number of choices, other letters as in `bert_keras.layers`.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("bert_keras")
class JoinChoices(keras.layers.Layer):
    """ids [B, C, T] -> [B * C, T]: every choice becomes a sequence of the batch."""

    def call(self, ids):
        return tf.reshape(ids, [-1, tf.shape(ids)[2]])

    def compute_output_spec(self, ids):
        batch, choices, length = ids.shape
        rows = batch * choices if batch and choices else None
        return keras.KerasTensor((rows, length), ids.dtype)


@keras.saving.register_keras_serializable("bert_keras")
class SplitChoices(keras.layers.Layer):
    """scores [B * C, 1], ids [B, C, T] of which they are -> [B, C], of the type of the scores."""

    def __init__(self, **kwargs):
        super().__init__(autocast=False, **kwargs)

    def call(self, scores, ids):
        return tf.reshape(scores, tf.shape(ids)[:2])

    def compute_output_spec(self, scores, ids):
        return keras.KerasTensor(ids.shape[:2], scores.dtype)
