"""A product with a matrix and a bias, over the last axis: `tf.layers.dense` of the original."""

import keras
import tensorflow as tf

from bert_keras.layers.initializers import truncated_normal


@keras.saving.register_keras_serializable("bert_keras")
class Dense(keras.layers.Layer):
    """[..., input width] -> [..., units], on one matrix.

    `keras.layers.Dense` multiplies batch by batch and sums the gradients of its kernel afterwards;
    here all leading axes are one (`reshape_to_matrix` of the original), which trains faster.
    The bias is added in float32 whatever the precision: TensorFlow would sum its gradient over all
    rows in bfloat16, where 256 + 1 is 256.
    """

    def __init__(self, units: int, initializer_range: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.initializer_range = initializer_range

    def build(self, input_shape):
        self.kernel = self.add_weight(
            name="kernel",
            shape=(input_shape[-1], self.units),
            initializer=truncated_normal(self.initializer_range),
        )
        self.bias = self.add_weight(
            name="bias", shape=(self.units,), initializer="zeros", autocast=False
        )

    def call(self, inputs):
        product = self.product(inputs)
        return tf.cast(tf.nn.bias_add(tf.cast(product, tf.float32), self.bias), product.dtype)

    def product(self, inputs):
        """The output before the bias, for callers that add it in a compiled chain."""
        matrix = tf.matmul(tf.reshape(inputs, [-1, inputs.shape[-1]]), self.kernel)
        return tf.reshape(matrix, tf.concat([tf.shape(inputs)[:-1], [self.units]], axis=0))

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

    def get_config(self):
        return super().get_config() | {
            "units": self.units,
            "initializer_range": self.initializer_range,
        }
