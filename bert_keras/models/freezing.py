"""Layers that keep their weights while those above them learn."""

import keras

from bert_keras.errors import InputError
from bert_keras.layers.block import TransformerBlock


def freeze(model: keras.Model, num_layers: int) -> None:
    """Takes the embeddings and the lowest blocks of a model out of its trainable variables.

    No gradient is computed for them; dropout in them goes on. Call it before an optimizer is built.

    Args:
        model: one that a function of `bert_keras.models` made.
        num_layers: how many blocks, from the bottom; 0 freezes the embeddings alone.

    Raises:
        InputError: the model does not have so many blocks.
    """
    blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
    if not 0 <= num_layers <= len(blocks):
        raise InputError(
            f"{model.name} can freeze 0 to {len(blocks)} layers. Received: {num_layers}"
        )
    for layer in [model.get_layer("embeddings"), *blocks[:num_layers]]:
        layer.trainable = False
