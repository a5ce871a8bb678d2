"""Layer normalization (Ba et al. 2016, arXiv:1607.06450): `layer_norm` of the original."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("bert_keras")
class LayerNorm(keras.layers.Layer):
    """Normalizes the last axis to mean 0 and variance 1, then scales and shifts it.

    Computed in float32 whatever the precision: 1e-12 is 0 in float16.
    """

    def __init__(self, epsilon: float = 1e-12, **kwargs):
        super().__init__(**kwargs)
        self.epsilon = epsilon

    def build(self, input_shape):
        width = (input_shape[-1],)
        self.gamma = self.add_weight(name="gamma", shape=width, initializer="ones", autocast=False)
        self.beta = self.add_weight(name="beta", shape=width, initializer="zeros", autocast=False)

    def call(self, inputs):
        return layer_norm(inputs, self.gamma, self.beta, epsilon=self.epsilon)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return super().get_config() | {"epsilon": self.epsilon}


def layer_norm(inputs, gamma, beta, epsilon: float):
    """[..., H] with gamma and beta [H] -> [..., H] of the same type."""
    values = tf.cast(inputs, tf.float32)
    centered = values - tf.reduce_mean(values, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.square(centered), axis=-1, keepdims=True)
    outputs = centered * (tf.math.rsqrt(variance + epsilon) * gamma) + beta
    return tf.cast(outputs, inputs.dtype)
