"""Multi-head scaled dot-product self-attention (Vaswani et al. 2017, arXiv:1706.03762).

`attention_layer` of google-research/bert.
"""

import math

import keras
import tensorflow as tf

from bert_keras.layers.dense import Dense
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.dropped_softmax import dropped_softmax

# Added to the scores of masked positions, as in the original; float16 can hold it.
MASKED_SCORE = -10000.0


@keras.saving.register_keras_serializable("bert_keras")
class SelfAttention(keras.layers.Layer):
    """queries [B, Q, H], hidden [B, T, H] -> context [B, Q, H].

    The queries come from all positions of `hidden` or from some (the original's `from_tensor`).
    attention_mask [B, Q or 1, T] says which position (last axis) may be seen from which (second
    axis): 1 = seen, 0 = masked.
    """

    def __init__(
        self,
        num_heads: int,
        dropout_rate: float = 0.1,
        initializer_range: float = 0.02,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout_rate = dropout_rate
        self.initializer_range = initializer_range
        self.dropout = Dropout(dropout_rate, name="dropout", dtype=self.dtype_policy)

    def build(self, queries_shape, hidden_shape, attention_mask_shape):
        width = hidden_shape[-1]
        for name in ("query", "key", "value"):
            dense = Dense(width, self.initializer_range, name=name, dtype=self.dtype_policy)
            setattr(self, name, dense)
            dense.build(hidden_shape)

    def call(self, queries, hidden, attention_mask, training=False):
        value = self._split_heads(self.value(hidden))  # [B, N, T, D]
        probs = self._attention_probs(self._scores(queries, hidden, attention_mask), training)
        context = tf.matmul(tf.cast(probs, value.dtype), value)  # [B, N, Q, D]
        return tf.reshape(tf.transpose(context, [0, 2, 1, 3]), tf.shape(queries))

    def probabilities(self, queries, hidden, attention_mask):
        """How much each head looks from each query at each position, float32 [B, N, Q, T]."""
        return self._attention_probs(self._scores(queries, hidden, attention_mask), training=False)

    def _scores(self, queries, hidden, attention_mask):
        query = self._split_heads(self.query(queries))  # [B, N, Q, D]
        key = self._split_heads(self.key(hidden))  # [B, N, T, D]
        # The original scales the scores; the queries are fewer numbers.
        query *= 1.0 / math.sqrt(query.shape[-1])
        scores = tf.cast(tf.matmul(query, key, transpose_b=True), tf.float32)  # [B, N, Q, T]
        masked = (1.0 - tf.cast(attention_mask, tf.float32)) * MASKED_SCORE
        return scores + masked[:, tf.newaxis]

    def _attention_probs(self, scores, training):
        if not training or self.dropout.rate == 0:
            return tf.nn.softmax(scores)
        random_bits = self.dropout.random_bits(tf.shape(scores))
        return dropped_softmax(scores, random_bits, rate=self.dropout_rate)

    def _split_heads(self, x):
        batch, length, width = tf.shape(x)[0], tf.shape(x)[1], x.shape[-1]
        x = tf.reshape(x, [batch, length, self.num_heads, width // self.num_heads])
        return tf.transpose(x, [0, 2, 1, 3])

    def compute_output_shape(self, queries_shape, hidden_shape, attention_mask_shape):
        return queries_shape

    def get_config(self):
        return super().get_config() | {
            "num_heads": self.num_heads,
            "dropout_rate": self.dropout_rate,
            "initializer_range": self.initializer_range,
        }
