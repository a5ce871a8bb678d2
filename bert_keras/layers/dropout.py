"""Dropout (Srivastava et al. 2014) whose masks are a function of a seed that is saved.

Differs from `keras.layers.Dropout`: every replica of a distribution strategy draws its own mask,
and one 32-bit random number serves two elements.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("bert_keras")
class Dropout(keras.layers.Layer):
    """Sets a share `rate` of the elements to 0 in training and scales the others up.

    The keep probability is a multiple of 2**-16; the scale is its exact inverse. The state of the
    seed is a variable (in `model.variables`), so that a resumed run draws the same masks.
    """

    def __init__(self, rate: float, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(name="seed_generator")
        self.built = True

    def call(self, inputs, training=False):
        if not training or self.rate == 0:
            return inputs
        return inputs * self.keep_mask(tf.shape(inputs), inputs.dtype)

    def keep_mask(self, shape, dtype) -> tf.Tensor:
        """A new mask: 0 where an element is dropped, 1 / keep probability elsewhere."""
        threshold = round(self.rate * 2**16)
        size = tf.reduce_prod(shape)
        words = tf.random.stateless_uniform(
            [(size + 1) // 2], self._next_seed(), None, None, tf.uint32, alg="philox"
        )
        halves = tf.reshape(tf.bitcast(words, tf.uint16), [-1])[:size]
        keep = tf.reshape(halves >= threshold, shape)
        return tf.cast(keep, dtype) * tf.cast(2**16 / (2**16 - threshold), dtype)

    def _next_seed(self) -> tf.Tensor:
        seed = tf.cast(self.seed_generator.next(), tf.int32)
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return seed + tf.stack([tf.cast(replica, tf.int32) * 0x3C6EF372, 0])

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return super().get_config() | {"rate": self.rate}
