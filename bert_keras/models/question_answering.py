"""BERT that finds the answer to a question in a text (paper, sections 4.2, 4.3 and figure 4c)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import unpooled_bert


def question_answering(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """`create_model` of `run_squad.py` of google-research/bert: a span starts and ends where?

    Inputs: those of `bert`; sentence A is the question, B the text.
    Outputs, a dict of float32: `start_logits` and `end_logits` [B, T], of every position, those of
    the question and of padding too. As in the original, no dropout comes before the head.
    `block` is the class of the layers, of the signature of `TransformerBlock`.
    """
    encoder = unpooled_bert(config, block)
    logits = OutputHead(2, config.initializer_range, name="squad")(
        encoder.output["sequence_output"]
    )  # [B, T, 2]
    start_logits, end_logits = keras.ops.unstack(logits, 2, axis=-1)
    outputs = {"start_logits": start_logits, "end_logits": end_logits}
    return keras.Model(encoder.input, outputs, name="question_answering")
