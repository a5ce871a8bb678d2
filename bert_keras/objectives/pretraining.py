"""BERT's pre-training objective: masked LM and next sentence, added (paper, appendix A.2)."""

import tensorflow as tf

from bert_keras.objectives.loss import Loss
from bert_keras.objectives.masked_lm import masked_lm
from bert_keras.objectives.mean import Mean
from bert_keras.objectives.next_sentence import next_sentence


def pretraining(outputs, features) -> dict[str, Mean]:
    """Outputs of a pretrainer and features of a batch -> losses and accuracies of both tasks.

    A row may hold several pairs or none: `next_sentence_weights`, as many as the labels, are 0
    where there is none. Without them every label counts.
    """
    return masked_lm(
        outputs["masked_lm_logits"], features["masked_lm_ids"], features["masked_lm_weights"]
    ) | next_sentence(
        outputs["next_sentence_logits"], features["next_sentence_labels"], _pair_weights(features)
    )


def num_masked(features) -> tf.Tensor:
    """How many masked positions the examples have."""
    return tf.reduce_sum(features["masked_lm_weights"])


def num_pairs(features) -> tf.Tensor:
    """How many pairs of sentences the examples have."""
    return tf.reduce_sum(_pair_weights(features))


# The training loss is the sum of these. The original divides the masked-LM loss by its count
# + 1e-5, so that a batch without a masked position has loss 0.
LOSSES = {"masked_lm_loss": Loss(num_masked, added=1e-5), "next_sentence_loss": Loss(num_pairs)}
ACCURACIES = ("masked_lm_accuracy", "next_sentence_accuracy")


def _pair_weights(features):
    labels = features["next_sentence_labels"]
    return features.get("next_sentence_weights", tf.ones_like(labels, tf.float32))
