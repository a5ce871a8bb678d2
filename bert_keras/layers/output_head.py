"""What a task's logits are made by: one row of weights for each output.

The end of `get_next_sentence_output` and of `create_model` in `run_classifier.py` and
`run_squad.py` of google-research/bert.
"""

import keras
import tensorflow as tf

from bert_keras.layers.initializers import truncated_normal


@keras.saving.register_keras_serializable("bert_keras")
class OutputHead(keras.layers.Layer):
    """features [..., H] -> logits [..., L], float32: features times output_weights^T, plus bias.

    The weights lie transposed, [L, H], as in the original's checkpoints. Computed in float32
    whatever the precision: a few columns cost nothing.
    """

    def __init__(self, units: int, initializer_range: float = 0.02, **kwargs):
        super().__init__(autocast=False, **kwargs)
        self.units = units
        self.initializer_range = initializer_range

    def build(self, features_shape):
        self.output_weights = self.add_weight(
            name="output_weights",
            shape=(self.units, features_shape[-1]),
            initializer=truncated_normal(self.initializer_range),
            autocast=False,
        )
        self.output_bias = self.add_weight(
            name="output_bias", shape=(self.units,), initializer="zeros", autocast=False
        )

    def call(self, features):
        rows = tf.reshape(tf.cast(features, tf.float32), [-1, features.shape[-1]])
        logits = tf.nn.bias_add(
            tf.matmul(rows, self.output_weights, transpose_b=True), self.output_bias
        )
        return tf.reshape(logits, tf.concat([tf.shape(features)[:-1], [self.units]], axis=0))

    def compute_output_spec(self, features):
        return keras.KerasTensor((*features.shape[:-1], self.units), "float32")

    def get_config(self):
        return super().get_config() | {
            "units": self.units,
            "initializer_range": self.initializer_range,
        }
