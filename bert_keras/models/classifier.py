"""BERT that classifies a sentence or a pair of them (paper, section 4.1 and figures 4a, 4b)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import pooled_output, token_inputs


def classifier(config: BertConfig, block: type[TransformerBlock] = TransformerBlock) -> keras.Model:
    """`create_model` of `run_classifier.py` of google-research/bert, up to the logits.

    Inputs: those of `bert`.
    Outputs, a dict of float32: `logits` [B, L], a column for each of `config.labels`. One label
    makes a regression (STS-B).
    `block` is the class of the layers, as `pooled_output` takes it.

    The rate of the dropout before the head is `hidden_dropout_prob` and the spread of its initial
    weights `initializer_range`; the original has the constants 0.1 and 0.02, which are the values
    of the released configs.

    Raises:
        InputError: the config names no labels.
    """
    head = OutputHead(num_labels(config), config.initializer_range, name="classifier")
    inputs = token_inputs()
    pooled = pooled_output(inputs, config, block)
    pooled = Dropout(config.hidden_dropout_prob, name="dropout")(pooled)
    return keras.Model(inputs, {"logits": head(pooled)}, name="classifier")


def num_labels(config: BertConfig) -> int:
    """How many classes the config names.

    Raises:
        InputError: it names none.
    """
    if not config.labels:
        raise InputError(
            "A classifier needs the names of its classes. Received: a config without labels. Give "
            'them: dataclasses.replace(config, labels=("no", "yes")), or '
            'from_pretrained(…, labels=("no", "yes"))'
        )
    return len(config.labels)
