"""The wide half of the feed-forward part: dense and activation."""

import keras
import tensorflow as tf

from bert_keras.layers.activations import ACTIVATIONS
from bert_keras.layers.compiled import compiled
from bert_keras.layers.dense import Dense


@keras.saving.register_keras_serializable("bert_keras")
class Intermediate(keras.layers.Layer):
    """hidden [B, T, H] -> activation(dense(hidden)) [B, T, I]."""

    def __init__(
        self, units: int, activation: str = "gelu", initializer_range: float = 0.02, **kwargs
    ):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activation
        self.initializer_range = initializer_range
        self.dense = Dense(units, initializer_range, name="dense", dtype=self.dtype_policy)

    def build(self, input_shape):
        self.dense.build(input_shape)

    def call(self, inputs, training=False):
        if not training:
            # In float32, as the compiled chain: erf of bfloat16 takes three times as long.
            wide = self.dense(inputs)
            outputs = ACTIVATIONS[self.activation](tf.cast(wide, tf.float32))
            return tf.cast(outputs, wide.dtype)
        bias = tf.convert_to_tensor(self.dense.bias)
        return add_and_activate(self.dense.product(inputs), bias, activation=self.activation)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

    def get_config(self):
        return super().get_config() | {
            "units": self.units,
            "activation": self.activation,
            "initializer_range": self.initializer_range,
        }


@compiled
def add_and_activate(product, bias, activation: str):
    """Product [..., I] and bias [I] -> activation(product + bias) [..., I]."""
    outputs = ACTIVATIONS[activation](tf.cast(product, tf.float32) + bias)
    return tf.cast(outputs, product.dtype)
