"""BERT that fills in masked words (paper, section 3.1, task 1)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.masked_lm_head import MaskedLMHead
from bert_keras.models.bert import unpooled_bert


def masked_lm(config: BertConfig, block: type[TransformerBlock] = TransformerBlock) -> keras.Model:
    """The encoder without its pooler, and the head of `get_masked_lm_output`.

    Inputs: those of `bert` and `masked_lm_positions` int32 [B, P].
    Outputs, a dict of float32: `masked_lm_logits` [B, P, V].
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    encoder = unpooled_bert(config, block)
    positions = keras.Input(shape=(None,), dtype="int32", name="masked_lm_positions")
    _, word_table = encoder.get_layer("embeddings").output
    logits = MaskedLMHead(config, name="predictions")(
        encoder.output["sequence_output"], positions, word_table
    )
    inputs = {**encoder.input, "masked_lm_positions": positions}
    return keras.Model(inputs, {"masked_lm_logits": logits}, name="masked_lm")
