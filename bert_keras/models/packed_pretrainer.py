"""BERT with its two pre-training heads on rows that hold several sequences each."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.masked_lm_head import MaskedLMHead
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.packed_bert import packed_bert


def packed_pretrainer(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """`pretrainer` with the same weights, on rows that hold several sequences each.

    Inputs: those of `packed_bert` and `masked_lm_positions` int32 [B, P], counted in the row.
    Outputs, a dict of float32: `masked_lm_logits` [B, P, V], `next_sentence_logits` [B, S, 2].
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    encoder = packed_bert(config, block)
    positions = keras.Input(shape=(None,), dtype="int32", name="masked_lm_positions")
    _, word_table = encoder.get_layer("embeddings").output
    masked_lm_logits = MaskedLMHead(config, name="predictions")(
        encoder.output["sequence_output"], positions, word_table
    )
    next_sentence_logits = OutputHead(2, config.initializer_range, name="seq_relationship")(
        encoder.output["pooled_output"]
    )
    return keras.Model(
        {**encoder.input, "masked_lm_positions": positions},
        {"masked_lm_logits": masked_lm_logits, "next_sentence_logits": next_sentence_logits},
        name="packed_pretrainer",
    )
