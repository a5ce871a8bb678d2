"""Live checks of a pre-training, as `bert_keras.training.watch` describes them.

Thresholds are such that the runs of this project that went well are silent
(experiments/results/pretrain_mini.json and the run without flags).
"""

import math
from collections import deque
from collections.abc import Mapping
from statistics import fmean

from bert_keras.config import BertConfig
from bert_keras.training.watch import Check, GradientSpike, StillLoss, ZeroLearningRate

# The first steps of a run without a warm-up bring its loss below that of guessing.
NUM_STEPS_TO_LEAVE_GUESSING = 200
# A healthy run leaves the unigram plateau after some hundred steps, a long warm-up prolongs it.
NUM_STEPS_TO_LEAVE_UNIGRAMS = 300
NEAR_UNIGRAMS = 0.01  # of the entropy: as much as a mean over reports and the sample are off
NUM_REPORTS_OF_MEAN = 3
# The finished models of the paper are right on 97 to 98 % of the pairs (section 3.1, note 5).
LEAKED_ACCURACY = 0.99
NUM_REPORTS_OF_LEAK = 5  # a report may rest on a few examples that are right by chance
NUM_STEPS_OF_LEAK = 1000
# A model that has learned its records by heart, or was trained before, guesses words as well.
MASKED_ACCURACY_OF_LEAK = 0.5
ONE_SIDED_LABELS = 0.9  # above, an accuracy near 1 needs no leak


def pretraining_checks(
    config: BertConfig,
    num_train_steps: int,
    num_warmup_steps: int,
    unigram_entropy: float,
    majority_share: float,
) -> list[Check]:
    """Returns the checks of a pre-training.

    Args:
        config: the model.
        num_train_steps: the steps of the whole run.
        num_warmup_steps: those in which the rate rises.
        unigram_entropy: the masked-LM loss of a model that knows frequencies only, in nats.
        majority_share: the share of the more frequent next-sentence label.
    """
    checks = [
        WorseThanGuessing(config.vocab_size, num_warmup_steps),
        FrequenciesOnly(unigram_entropy, num_warmup_steps),
        ZeroLearningRate(num_train_steps),
        GradientSpike(),
        StillLoss(),
    ]
    if majority_share <= ONE_SIDED_LABELS:
        checks.append(NextSentenceLeak(num_warmup_steps))
    return checks


class WorseThanGuessing:
    """A masked-LM loss above ln(vocabulary size) after the warm-up."""

    def __init__(self, vocab_size: int, num_warmup_steps: int):
        self._vocab_size = vocab_size
        self._first_step = max(num_warmup_steps, NUM_STEPS_TO_LEAVE_GUESSING)
        self._said = False

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        loss, guessing = values["masked_lm_loss"], math.log(self._vocab_size)
        if self._said or step < self._first_step or loss <= guessing:
            return None
        self._said = True
        return (
            f"masked_lm_loss is {loss:.2f}; guessing evenly among the {self._vocab_size} word "
            f"pieces costs {guessing:.2f}. Either the learning rate is far too high or too low, or "
            "the records do not belong to this vocabulary."
        )


class FrequenciesOnly:
    """A masked-LM loss that stays at the entropy of single words."""

    def __init__(self, unigram_entropy: float, num_warmup_steps: int):
        self._entropy = unigram_entropy
        self._first_step = max(num_warmup_steps, NUM_STEPS_TO_LEAVE_UNIGRAMS)
        self._losses = deque(maxlen=NUM_REPORTS_OF_MEAN)
        self._said = False

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        if self._said or step < self._first_step:
            return None
        self._losses.append(values["masked_lm_loss"])
        if len(self._losses) < NUM_REPORTS_OF_MEAN:
            return None
        loss = fmean(self._losses)
        if abs(loss - self._entropy) > NEAR_UNIGRAMS * self._entropy:
            return None
        self._said = True
        return (
            f"masked_lm_loss is {loss:.2f}, that of a model which knows how frequent each word is "
            f"and nothing else ({self._entropy:.2f}). If it stays there, begin again with more "
            "--num_warmup_steps, or a lower --learning_rate."
        )


class NextSentenceLeak:
    """Next sentences told apart at once, by a model that cannot guess words yet."""

    def __init__(self, num_warmup_steps: int):
        self._last_step = max(num_warmup_steps, NUM_STEPS_OF_LEAK)
        self._accuracies = deque(maxlen=NUM_REPORTS_OF_LEAK)
        self._said = False

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        self._accuracies.append(values["next_sentence_accuracy"])
        if self._said or step > self._last_step or len(self._accuracies) < NUM_REPORTS_OF_LEAK:
            return None
        accuracy = fmean(self._accuracies)
        knows_words = values["masked_lm_accuracy"] >= MASKED_ACCURACY_OF_LEAK
        if accuracy < LEAKED_ACCURACY or knows_words:
            return None
        self._said = True
        return (
            f"next_sentence_accuracy is {accuracy:.3f} already: something other than the text "
            "tells pairs apart, such as their length, their padding or the order of the records. "
            "Look at them with python -m tfrecord_tools.show_records."
        )
