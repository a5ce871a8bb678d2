"""One layer of BERT's encoder: self-attention, then feed-forward, each with a residual sum.

The loop body of `transformer_model` of google-research/bert.
"""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.attention import SelfAttention
from bert_keras.layers.intermediate import Intermediate
from bert_keras.layers.residual import ResidualOutput


@keras.saving.register_keras_serializable("bert_keras")
class Attention(keras.layers.Layer):
    """Attention and its residual sum: inputs and output are those of `SelfAttention`."""

    def __init__(self, config: BertConfig | dict, **kwargs):
        super().__init__(**kwargs)
        self.config = BertConfig.of(config)
        self.self_attention = SelfAttention(
            self.config.num_attention_heads,
            self.config.attention_probs_dropout_prob,
            self.config.initializer_range,
            name="self",
            dtype=self.dtype_policy,
        )
        self.residual_output = residual_output(self.config, self.dtype_policy)

    def build(self, queries_shape, hidden_shape, attention_mask_shape):
        self.self_attention.build(queries_shape, hidden_shape, attention_mask_shape)
        self.residual_output.build(queries_shape, queries_shape)

    def call(self, queries, hidden, attention_mask, training=False):
        context = self.self_attention(queries, hidden, attention_mask, training=training)
        return self.residual_output(context, queries, training=training)

    def compute_output_shape(self, queries_shape, hidden_shape, attention_mask_shape):
        return queries_shape

    def get_config(self):
        return super().get_config() | {"config": self.config.to_dict()}


@keras.saving.register_keras_serializable("bert_keras")
class TransformerBlock(keras.layers.Layer):
    """hidden [B, T, H], attention_mask [B, T or 1, T] -> hidden [B, T, H]."""

    def __init__(self, config: BertConfig | dict, **kwargs):
        super().__init__(**kwargs)
        self.config = BertConfig.of(config)
        self.attention = Attention(self.config, name="attention", dtype=self.dtype_policy)
        self.intermediate = Intermediate(
            self.config.intermediate_size,
            self.config.hidden_act,
            self.config.initializer_range,
            name="intermediate",
            dtype=self.dtype_policy,
        )
        self.residual_output = residual_output(self.config, self.dtype_policy)

    def build(self, hidden_shape, attention_mask_shape):
        self.attention.build(hidden_shape, hidden_shape, attention_mask_shape)
        self.intermediate.build(hidden_shape)
        wide_shape = (*hidden_shape[:-1], self.config.intermediate_size)
        self.residual_output.build(wide_shape, hidden_shape)

    def call(self, hidden, attention_mask, training=False):
        return self.transform(hidden, hidden, attention_mask, training)

    def transform(self, queries, hidden, attention_mask, training):
        """The block's output for some positions of `hidden`: queries [B, Q, H] -> [B, Q, H]."""
        seen = self.attention(queries, hidden, attention_mask, training=training)
        wide = self.intermediate(seen, training=training)  # [B, Q, I]
        return self.residual_output(wide, seen, training=training)

    def compute_output_shape(self, hidden_shape, attention_mask_shape):
        return hidden_shape

    def get_config(self):
        return super().get_config() | {"config": self.config.to_dict()}


def residual_output(config: BertConfig, dtype) -> ResidualOutput:
    return ResidualOutput(
        config.hidden_dropout_prob,
        config.initializer_range,
        config.layer_norm_epsilon,
        name="output",
        dtype=dtype,
    )
