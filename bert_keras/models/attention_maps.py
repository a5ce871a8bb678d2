"""How much each head of each layer looks from each token at each other one."""

from collections.abc import Mapping

import keras
import numpy as np

from bert_keras.layers.block import TransformerBlock
from bert_keras.models.bert import hidden_states


def attention_maps(model: keras.Model, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """The attention of a BERT, with any head or none, on some inputs.

    Args:
        model: made by a function of `bert_keras.models` that takes sequences [B, T].
        inputs: its inputs, [B, T] each.

    Returns:
        float32 [B, L, N, T, T], of L layers and N heads; a row, over the last axis, adds up to 1.
    """
    states = keras.Model(model.input, hidden_states(model))(inputs, training=False)
    mask = keras.ops.expand_dims(inputs["input_mask"], axis=1)  # [B, 1, T]
    blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
    maps = [
        block.attention.self_attention.probabilities(hidden, hidden, mask)
        for block, hidden in zip(blocks, states, strict=False)  # the last state goes into none
    ]
    return np.stack([keras.ops.convert_to_numpy(of_layer) for of_layer in maps], axis=1)
