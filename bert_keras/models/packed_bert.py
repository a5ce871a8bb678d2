"""BERT on rows that hold several sequences each (Krell et al. 2021, arXiv:2107.02027)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.packed import PackedEmbeddings, PackedPooler


def packed_bert(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """`bert` with the same weights, on what `bert_keras.data.packing` makes of its inputs.

    Inputs, a dict of int32 [B, T]: `input_ids`, `sequence_ids` (0 = padding, k = the row's k-th
    sequence), `position_ids` (from 0 on in each sequence), `segment_ids`; and of int32 [B, S]:
    `first_token_positions` (where in the row each sequence begins).
    Outputs, a dict: `sequence_output` [B, T, H], `pooled_output` [B, S, H], of the compute type of
    Keras' dtype policy.
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    inputs = packed_inputs()
    # The blocks of the diagonal; padding sees padding, so that no row is without a position.
    attention_mask = keras.ops.equal(
        keras.ops.expand_dims(inputs["sequence_ids"], axis=2),
        keras.ops.expand_dims(inputs["sequence_ids"], axis=1),
    )  # [B, T, T]
    hidden, _ = PackedEmbeddings(config, name="embeddings")(
        inputs["input_ids"], inputs["segment_ids"], inputs["position_ids"]
    )
    for index in range(config.num_hidden_layers):
        hidden = block(config, name=f"layer_{index}")(hidden, attention_mask)
    pooled = PackedPooler(config.initializer_range, name="pooler")(
        hidden, inputs["first_token_positions"]
    )
    outputs = {"sequence_output": hidden, "pooled_output": pooled}
    return keras.Model(inputs, outputs, name="packed_bert")


def packed_inputs() -> dict[str, keras.KerasTensor]:
    """The inputs of `packed_bert`, of any batch size, length and number of sequences."""
    names = ("input_ids", "sequence_ids", "position_ids", "segment_ids", "first_token_positions")
    return {name: keras.Input(shape=(None,), dtype="int32", name=name) for name in names}
