"""What ends both halves of a transformer block: dense, dropout, residual sum, LayerNorm."""

import keras

from bert_keras.layers.dense import Dense
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.layer_norm import LayerNorm


@keras.saving.register_keras_serializable("bert_keras")
class ResidualOutput(keras.layers.Layer):
    """inputs [B, T, any width], residual [B, T, H] -> LayerNorm(dense(inputs) + residual)."""

    def __init__(
        self,
        dropout_rate: float = 0.1,
        initializer_range: float = 0.02,
        layer_norm_epsilon: float = 1e-12,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.dropout_rate = dropout_rate
        self.initializer_range = initializer_range
        self.layer_norm_epsilon = layer_norm_epsilon
        self.dropout = Dropout(dropout_rate, name="dropout", dtype=self.dtype_policy)
        self.layer_norm = LayerNorm(layer_norm_epsilon, name="LayerNorm", dtype=self.dtype_policy)

    def build(self, inputs_shape, residual_shape):
        width = residual_shape[-1]
        self.dense = Dense(width, self.initializer_range, name="dense", dtype=self.dtype_policy)
        self.dense.build(inputs_shape)
        self.layer_norm.build(residual_shape)

    def call(self, inputs, residual, training=False):
        outputs = self.dropout(self.dense(inputs), training=training)
        return self.layer_norm(outputs + residual)

    def compute_output_shape(self, inputs_shape, residual_shape):
        return residual_shape

    def get_config(self):
        return super().get_config() | {
            "dropout_rate": self.dropout_rate,
            "initializer_range": self.initializer_range,
            "layer_norm_epsilon": self.layer_norm_epsilon,
        }
