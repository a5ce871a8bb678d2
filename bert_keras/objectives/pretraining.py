"""BERT's pre-training objective: masked LM and next sentence, added (paper, appendix A.2)."""

from bert_keras.objectives.masked_lm import masked_lm
from bert_keras.objectives.mean import Mean
from bert_keras.objectives.next_sentence import next_sentence

# The training loss is the sum of these means. The original divides the masked-LM loss by its count
# + 1e-5, so that a batch without a masked position has loss 0.
LOSSES = {"masked_lm_loss": 1e-5, "next_sentence_loss": 0.0}
ACCURACIES = ("masked_lm_accuracy", "next_sentence_accuracy")


def pretraining(outputs, features) -> dict[str, Mean]:
    """Outputs of a pretrainer and features of a batch -> losses and accuracies of both tasks."""
    return masked_lm(
        outputs["masked_lm_logits"], features["masked_lm_ids"], features["masked_lm_weights"]
    ) | next_sentence(outputs["next_sentence_logits"], features["next_sentence_labels"])


def packed_pretraining(outputs, features) -> dict[str, Mean]:
    """The same of a packed pretrainer, where a row may have fewer sequences than places."""
    return masked_lm(
        outputs["masked_lm_logits"], features["masked_lm_ids"], features["masked_lm_weights"]
    ) | next_sentence(
        outputs["next_sentence_logits"],
        features["next_sentence_labels"],
        features["next_sentence_weights"],
    )
