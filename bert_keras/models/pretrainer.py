"""BERT with its two pre-training heads (paper, section 3.1)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.masked_lm_head import MaskedLMHead
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import bert


def pretrainer(config: BertConfig, block: type[TransformerBlock] = TransformerBlock) -> keras.Model:
    """The model that `run_pretraining.py` of google-research/bert trains.

    Inputs: those of `bert` and `masked_lm_positions` int32 [B, P].
    Outputs, a dict of float32: `masked_lm_logits` [B, P, V], `next_sentence_logits` [B, 2]
    (0 = B follows A, 1 = B is random or swapped).
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    encoder = bert(config, block)
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
        name="pretrainer",
    )
