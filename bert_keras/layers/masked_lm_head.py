"""The masked-LM head: which word stood at each masked position (paper, section 3.1, task 1).

`get_masked_lm_output` of google-research/bert.
"""

import keras
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.activations import ACTIVATIONS
from bert_keras.layers.dense import Dense
from bert_keras.layers.embeddings import check_range
from bert_keras.layers.layer_norm import LayerNorm


@keras.saving.register_keras_serializable("bert_keras")
class Transform(keras.layers.Layer):
    """[..., H] -> LayerNorm(activation(dense)) [..., H]."""

    def __init__(self, config: BertConfig | dict, **kwargs):
        super().__init__(**kwargs)
        self.config = BertConfig.of(config)
        self.dense = Dense(
            self.config.hidden_size,
            self.config.initializer_range,
            name="dense",
            dtype=self.dtype_policy,
        )
        self.layer_norm = LayerNorm(
            self.config.layer_norm_epsilon, name="LayerNorm", dtype=self.dtype_policy
        )

    def build(self, input_shape):
        self.dense.build(input_shape)
        self.layer_norm.build(input_shape)

    def call(self, inputs):
        return self.layer_norm(ACTIVATIONS[self.config.hidden_act](self.dense(inputs)))

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return super().get_config() | {"config": self.config.to_dict()}


@keras.saving.register_keras_serializable("bert_keras")
class MaskedLMHead(keras.layers.Layer):
    """hidden [B, T, H], positions [B, P], word table [V, H] -> logits [B, P, V], float32.

    Only the masked positions are computed; the output matrix is the word table itself. In
    bfloat16 the product is rounded to it before the bias is added in float32: TensorFlow has no
    kernel, outside of XLA, that multiplies bfloat16 and writes float32.

    Raises:
        tf.errors.InvalidArgumentError: a position lies outside the sequence.
    """

    def __init__(self, config: BertConfig | dict, **kwargs):
        super().__init__(**kwargs)
        self.config = BertConfig.of(config)
        self.transform = Transform(self.config, name="transform", dtype=self.dtype_policy)

    def build(self, hidden_shape, masked_lm_positions_shape, word_table_shape):
        self.transform.build(hidden_shape)
        self.output_bias = self.add_weight(
            name="output_bias",
            shape=(self.config.vocab_size,),
            initializer="zeros",
            autocast=False,
        )

    def call(self, hidden, masked_lm_positions, word_table):
        length = tf.shape(hidden)[1]
        with tf.control_dependencies(
            [check_range(masked_lm_positions, length, "masked_lm_positions", "the length")]
        ):
            masked = tf.gather(hidden, masked_lm_positions, batch_dims=1)  # [B, P, H]
        batch, predictions = tf.shape(masked)[0], tf.shape(masked)[1]
        rows = tf.reshape(self.transform(masked), [-1, hidden.shape[-1]])  # [B * P, H]
        product = tf.matmul(rows, word_table, transpose_b=True)  # [B * P, V]
        logits = tf.nn.bias_add(tf.cast(product, tf.float32), self.output_bias)
        return tf.reshape(logits, [batch, predictions, self.config.vocab_size])

    def compute_output_spec(self, hidden, masked_lm_positions, word_table):
        return keras.KerasTensor((*masked_lm_positions.shape, self.config.vocab_size), "float32")

    def get_config(self):
        return super().get_config() | {"config": self.config.to_dict()}
