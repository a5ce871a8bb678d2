"""The last block of a model that looks at the first position alone, as a classifier does."""

import keras

from bert_keras.layers.block import TransformerBlock


@keras.saving.register_keras_serializable("bert_keras")
class FirstPositionBlock(TransformerBlock):
    """hidden [B, T, H], attention_mask [B, T or 1, T] -> hidden of the first position [B, 1, H].

    `TransformerBlock` with the same variables; what it makes of the other positions is not
    computed. They are seen: their keys and values are.
    """

    def call(self, hidden, attention_mask, training=False):
        return self.transform(hidden[:, :1], hidden, attention_mask[:, :1], training)

    def compute_output_shape(self, hidden_shape, attention_mask_shape):
        return hidden_shape[0], 1, hidden_shape[-1]
