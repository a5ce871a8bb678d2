"""The pooled output: what the first position says about the whole sequence."""

import keras
import tensorflow as tf

from bert_keras.layers.dense import Dense


@keras.saving.register_keras_serializable("bert_keras")
class Pooler(keras.layers.Layer):
    """hidden [B, T, H] -> tanh(dense(hidden at [CLS])) [B, H]."""

    def __init__(self, initializer_range: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.initializer_range = initializer_range

    def build(self, hidden_shape):
        batch, _, width = hidden_shape
        self.dense = Dense(width, self.initializer_range, name="dense", dtype=self.dtype_policy)
        self.dense.build((batch, width))

    def call(self, hidden):
        return tf.tanh(self.dense(hidden[:, 0]))

    def compute_output_shape(self, hidden_shape):
        return hidden_shape[0], hidden_shape[-1]

    def get_config(self):
        return super().get_config() | {"initializer_range": self.initializer_range}
