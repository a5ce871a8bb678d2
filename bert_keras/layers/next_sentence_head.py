"""The next-sentence head: does B follow A in the corpus (paper, section 3.1, task 2)?

`get_next_sentence_output` of google-research/bert.
"""

import keras
import tensorflow as tf

from bert_keras.layers.initializers import truncated_normal


@keras.saving.register_keras_serializable("bert_keras")
class NextSentenceHead(keras.layers.Layer):
    """pooled output [..., H] -> logits [..., 2]: 0 = B follows A, 1 = B is random or swapped.

    The weights lie transposed, [2, H], as in the original's checkpoints. Computed in float32
    whatever the precision: two columns cost nothing.
    """

    def __init__(self, initializer_range: float = 0.02, **kwargs):
        super().__init__(**kwargs)
        self.initializer_range = initializer_range

    def build(self, pooled_shape):
        self.output_weights = self.add_weight(
            name="output_weights",
            shape=(2, pooled_shape[-1]),
            initializer=truncated_normal(self.initializer_range),
            autocast=False,
        )
        self.output_bias = self.add_weight(
            name="output_bias", shape=(2,), initializer="zeros", autocast=False
        )

    def call(self, pooled):
        pooled = tf.cast(pooled, tf.float32)
        return tf.nn.bias_add(
            tf.matmul(pooled, self.output_weights, transpose_b=True), self.output_bias
        )

    def compute_output_spec(self, pooled):
        return keras.KerasTensor((*pooled.shape[:-1], 2), "float32")

    def get_config(self):
        return super().get_config() | {"initializer_range": self.initializer_range}
