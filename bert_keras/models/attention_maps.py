"""How much each head of each layer looks from each token at each other one."""

from collections.abc import Mapping

import keras
import numpy as np

from bert_keras.data.encoded import INPUTS
from bert_keras.layers.block import TransformerBlock
from bert_keras.models.bert import hidden_states


def attention_maps(model: keras.Model, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """The attention of a BERT, with any head or none, on some inputs.

    Args:
        model: made by a function of `bert_keras.models`.
        inputs: `input_ids`, `input_mask` and `segment_ids`, [B, T] each, or [B, C, T] of choices.

    Returns:
        float32 [B or B * C, L, N, T, T], of L layers and N heads; a row, over the last axis, adds
        up to 1.
    """
    of_tokens = {name: model.input[name] for name in INPUTS}
    inputs = {name: inputs[name] for name in INPUTS}
    states = keras.Model(of_tokens, hidden_states(model))(inputs, training=False)
    length = inputs["input_mask"].shape[-1]
    mask = keras.ops.reshape(inputs["input_mask"], [-1, 1, length])
    blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
    maps = [
        block.attention.self_attention.probabilities(hidden, hidden, mask)
        for block, hidden in zip(blocks, states, strict=False)  # the last state goes into none
    ]
    return np.stack([keras.ops.convert_to_numpy(of_layer) for of_layer in maps], axis=1)
