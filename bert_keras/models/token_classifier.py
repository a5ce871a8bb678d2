"""BERT that classifies every token: named entities (paper, section 5.3 and figure 4d)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import unpooled_bert
from bert_keras.models.classifier import num_labels


def token_classifier(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """The head of `classifier` on every token instead of the pooled output.

    The original has no code for it; the paper feeds the tokens' representations to a classifier.

    Inputs: those of `bert`.
    Outputs, a dict of float32: `logits` [B, T, L], a column for each of `config.labels`; those of
    padding mean nothing.
    `block` is the class of the layers, of the signature of `TransformerBlock`.

    Raises:
        InputError: the config names no labels.
    """
    head = OutputHead(num_labels(config), config.initializer_range, name="classifier")
    encoder = unpooled_bert(config, block)
    hidden = Dropout(config.hidden_dropout_prob, name="dropout")(encoder.output["sequence_output"])
    return keras.Model(encoder.input, {"logits": head(hidden)}, name="token_classifier")
