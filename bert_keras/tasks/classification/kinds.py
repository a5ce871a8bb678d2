"""The kinds of answers by the name that a configuration has for them."""

from bert_keras.config import MULTI_LABEL, REGRESSION, SINGLE_LABEL, BertConfig
from bert_keras.tasks.classification import multi_label, regression, single_label
from bert_keras.tasks.classification.answers import Answers

ANSWERS = {
    SINGLE_LABEL: single_label.ANSWERS,
    MULTI_LABEL: multi_label.ANSWERS,
    REGRESSION: regression.ANSWERS,
}


def problem_type_of(config: BertConfig) -> str:
    """What the outputs of a classifier mean; a single one is a number, if nothing else is said."""
    usual = REGRESSION if len(config.labels) == 1 else SINGLE_LABEL
    return config.problem_type or usual


def kind_of(config: BertConfig) -> Answers:
    """How the outputs of a classifier are learned, scored and written."""
    return ANSWERS[problem_type_of(config)]
