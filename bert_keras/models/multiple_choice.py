"""BERT that chooses between continuations of a sentence (paper, section 4.4: SWAG)."""

import keras

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.choices import JoinChoices, SplitChoices
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.output_head import OutputHead
from bert_keras.models.bert import pooled_output, token_inputs


def multiple_choice(
    config: BertConfig, block: type[TransformerBlock] = TransformerBlock
) -> keras.Model:
    """Each choice is a sequence of its own, scored by one unit that all of them share.

    So the number of choices C is no property of the weights. The paper's score is the product of
    a vector with the pooled output; the dropout before it and the bias, which a softmax over the
    choices does not see, are those of `classifier`.

    Inputs, a dict of int32 [B, C, T]: `input_ids`, `input_mask`, `segment_ids` as of `bert`.
    Outputs, a dict of float32: `logits` [B, C].
    `block` is the class of the layers, as `pooled_output` takes it.
    """
    inputs = token_inputs((None, None))
    rows = {name: JoinChoices(name=f"join_{name}")(ids) for name, ids in inputs.items()}
    pooled = pooled_output(rows, config, block)  # [B * C, H]
    pooled = Dropout(config.hidden_dropout_prob, name="dropout")(pooled)
    scores = OutputHead(1, config.initializer_range, name="classifier")(pooled)
    logits = SplitChoices(name="split_choices")(scores, inputs["input_ids"])
    return keras.Model(inputs, {"logits": logits}, name="multiple_choice")
