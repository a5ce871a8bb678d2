"""BERT that tells whether B follows A in the corpus (paper, section 3.1, task 2)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import pooled_output, token_inputs


def next_sentence(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """The encoder and the head of `get_next_sentence_output`.

    Inputs: those of `bert`.
    Outputs, a dict of float32: `next_sentence_logits` [B, 2] (0 = B follows A, 1 = B is random or
    swapped).
    `block` is the class of the layers, as `pooled_output` takes it.
    """
    inputs = token_inputs()
    pooled = pooled_output(inputs, config, block)
    logits = OutputHead(2, config.initializer_range, name="seq_relationship")(pooled)
    return keras.Model(inputs, {"next_sentence_logits": logits}, name="next_sentence")
