"""What ends both halves of a transformer block: dense, dropout, residual sum, LayerNorm."""

import keras
import tensorflow as tf

from bert_keras.layers.compiled import compiled
from bert_keras.layers.dense import Dense
from bert_keras.layers.dropout import Dropout, drop
from bert_keras.layers.layer_norm import LayerNorm, layer_norm


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
        if not training or self.dropout.rate == 0:
            return self.layer_norm(self.dense(inputs) + residual)
        return drop_add_norm(
            self.dense.product(inputs),
            tf.convert_to_tensor(self.dense.bias),
            self.dropout.random_bits(tf.shape(residual)),
            residual,
            tf.convert_to_tensor(self.layer_norm.gamma),
            tf.convert_to_tensor(self.layer_norm.beta),
            rate=self.dropout_rate,
            epsilon=self.layer_norm_epsilon,
        )

    def compute_output_shape(self, inputs_shape, residual_shape):
        return residual_shape

    def get_config(self):
        return super().get_config() | {
            "dropout_rate": self.dropout_rate,
            "initializer_range": self.initializer_range,
            "layer_norm_epsilon": self.layer_norm_epsilon,
        }


@compiled
def drop_add_norm(product, bias, random_bits, residual, gamma, beta, rate: float, epsilon: float):
    """LayerNorm(drop(product + bias) + residual); the vectors are [H], the rest [B, T, H]."""
    dropped = drop(tf.cast(product, tf.float32) + bias, random_bits, rate)
    outputs = layer_norm(dropped + tf.cast(residual, tf.float32), gamma, beta, epsilon)
    return tf.cast(outputs, residual.dtype)
