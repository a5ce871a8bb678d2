"""What changes where a row holds several sequences: positions are given, and each has a [CLS].

Letters of shapes as in `bert_keras.layers`, and S sequences of a row.
"""

import keras
import tensorflow as tf

from bert_keras.layers.embeddings import Embeddings, check_range
from bert_keras.layers.pooler import Pooler


@keras.saving.register_keras_serializable("bert_keras")
class PackedEmbeddings(Embeddings):
    """`Embeddings` that take position_ids [B, T] as their third input.

    The row may be longer than the position table; no position may lie outside of it.
    """

    def build(self, input_ids_shape, segment_ids_shape, position_ids_shape):
        super().build(input_ids_shape, segment_ids_shape)

    def call(self, input_ids, segment_ids, position_ids, training=False):
        limit = "max_position_embeddings"
        size = self.config.max_position_embeddings
        with tf.control_dependencies([check_range(position_ids, size, "position_ids", limit)]):
            # The gradient of a slice is dense. One of a gather alone would hold a row once for each
            # sequence, and a norm over such values is not that of their sum.
            table = tf.convert_to_tensor(self.position_embeddings)[:]
        positions = tf.gather(table, position_ids)  # [B, T, H]
        return self._sum(input_ids, segment_ids, positions, training)


@keras.saving.register_keras_serializable("bert_keras")
class PackedPooler(Pooler):
    """hidden [B, T, H], first_token_positions [B, S] -> tanh(dense(hidden there)) [B, S, H]."""

    def build(self, hidden_shape, first_token_positions_shape):
        super().build(hidden_shape)

    def call(self, hidden, first_token_positions):
        length = tf.shape(hidden)[1]
        in_row = check_range(first_token_positions, length, "first_token_positions", "the length")
        with tf.control_dependencies([in_row]):
            first = tf.gather(hidden, first_token_positions, batch_dims=1)  # [B, S, H]
        return tf.tanh(self.dense(first))

    def compute_output_shape(self, hidden_shape, first_token_positions_shape):
        return (*first_token_positions_shape, hidden_shape[-1])
