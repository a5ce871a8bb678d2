"""BERT's encoder (Devlin et al. 2018, arXiv:1810.04805, section 3)."""

from collections.abc import Sequence

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.embeddings import Embeddings
from bert_keras.layers.first_position_block import FirstPositionBlock
from bert_keras.layers.pooler import Pooler


def bert(config: BertConfig, block: type[TransformerBlock] = TransformerBlock) -> keras.Model:
    """The encoder with its pooler, `BertModel` of google-research/bert.

    Inputs, a dict of int32 [B, T]: `input_ids`, `input_mask` (1 = a token, 0 = padding),
    `segment_ids` (0 = sentence A, 1 = sentence B).
    Outputs, a dict: `sequence_output` [B, T, H], `pooled_output` [B, H], of the compute type of
    Keras' dtype policy.
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    inputs = token_inputs()
    hidden = encode(inputs, config, [block] * config.num_hidden_layers)
    pooled = Pooler(config.initializer_range, name="pooler")(hidden)
    return keras.Model(inputs, {"sequence_output": hidden, "pooled_output": pooled}, name="bert")


def unpooled_bert(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """`bert` without its pooler, for what is read off the tokens.

    Inputs: those of `bert`.
    Outputs, a dict: `sequence_output` [B, T, H], of the compute type of Keras' dtype policy.
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    inputs = token_inputs()
    hidden = encode(inputs, config, [block] * config.num_hidden_layers)
    return keras.Model(inputs, {"sequence_output": hidden}, name="unpooled_bert")


def pooled_output(
    inputs: dict[str, keras.KerasTensor], config: BertConfig, block: type[TransformerBlock]
) -> keras.KerasTensor:
    """The inputs of `bert`, [B, T] each -> its pooled output alone, [B, H].

    `block` is the class of all layers but the last: that one computes the first position only, and
    leaves so little to keep for the backward pass that no other class makes it smaller.
    """
    blocks = [block] * (config.num_hidden_layers - 1) + [FirstPositionBlock]
    return Pooler(config.initializer_range, name="pooler")(encode(inputs, config, blocks))


def encode(
    inputs: dict[str, keras.KerasTensor],
    config: BertConfig,
    blocks: Sequence[type[TransformerBlock]],
) -> keras.KerasTensor:
    """The inputs of `bert`, [B, T] each -> what its last layer makes of them, [B, T, H].

    `blocks` are the classes of the layers, from the bottom up.
    """
    attention_mask = keras.ops.expand_dims(inputs["input_mask"], axis=1)  # [B, 1, T]
    hidden, _ = Embeddings(config, name="embeddings")(inputs["input_ids"], inputs["segment_ids"])
    for index, block in enumerate(blocks):
        hidden = block(config, name=f"layer_{index}")(hidden, attention_mask)
    return hidden


def token_inputs(shape: tuple[int | None, ...] = (None,)) -> dict[str, keras.KerasTensor]:
    """The three inputs that every BERT takes, each int32 [B, *shape]: by default of any length."""
    return {
        name: keras.Input(shape=shape, dtype="int32", name=name)
        for name in ("input_ids", "input_mask", "segment_ids")
    }


def hidden_states(model: keras.Model) -> list[keras.KerasTensor]:
    """The symbolic outputs of the embeddings and of every layer, [B, T, H] each.

    `keras.Model(model.inputs, hidden_states(model))` computes them
    (`get_all_encoder_layers` of the original, with the embeddings first). The last one is
    [B, 1, H] in a model that needs the first position only, such as `classifier`.
    """
    embeddings, _ = model.get_layer("embeddings").output
    blocks = [layer.output for layer in model.layers if isinstance(layer, TransformerBlock)]
    return [embeddings, *blocks]
