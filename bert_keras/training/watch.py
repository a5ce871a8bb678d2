"""Live checks: what the reports of a training show that its user should hear of.

A check is called with each report and returns a sentence when there is something to say, at most
once unless it says otherwise. It knows nothing but the numbers it was given: no clock, no file.

They are warnings, not rules: a training goes on. Thresholds are such that the runs of this project
that went well are silent (experiments/results/pretrain_mini.json and the run without flags).
"""

import math
from collections import deque
from collections.abc import Callable, Mapping
from statistics import fmean, median

from bert_keras.config import BertConfig

Check = Callable[[int, Mapping[str, float]], str | None]  # of a step and the values of its report

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
SPIKE = 10.0  # times the median of the reports before; healthy runs stay within 4
NUM_REPORTS_OF_MEDIAN = 20
FEWEST_REPORTS_OF_MEDIAN = 5
SMALLEST_SPIKE = 1.0  # the norm that is clipped to: what is less moves the weights no further
NUM_REPORTS_BETWEEN_SPIKES = 100
# Batches differ by a percent; a loss that is the same to four digits sees no data or no gradient.
LEAST_CHANGE = 1e-4
NUM_REPORTS_STILL = 10


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


class ZeroLearningRate:
    """A learning rate of 0 in the middle of a run. That of the first step of a warm-up is 0."""

    def __init__(self, num_train_steps: int):
        self._num_train_steps = num_train_steps
        self._said = False

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        if self._said or not 1 < step < self._num_train_steps or values["learning_rate"] > 0:
            return None
        self._said = True
        return (
            f"learning_rate is 0, before step {self._num_train_steps}: nothing is learned. "
            "Look at --learning_rate, --num_warmup_steps and --num_train_steps."
        )


class GradientSpike:
    """A gradient far larger than before. Said again after `NUM_REPORTS_BETWEEN_SPIKES` reports."""

    def __init__(self):
        self._norms = deque(maxlen=NUM_REPORTS_OF_MEDIAN)
        self._num_silent_reports = 0

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        norm = values["gradient_norm"]
        usual = median(self._norms) if len(self._norms) >= FEWEST_REPORTS_OF_MEDIAN else math.inf
        self._norms.append(norm)
        if self._num_silent_reports:
            self._num_silent_reports -= 1
            return None
        if norm <= max(SPIKE * usual, SMALLEST_SPIKE):
            return None
        self._num_silent_reports = NUM_REPORTS_BETWEEN_SPIKES
        return (
            f"gradient_norm is {norm:.3g}, usually {usual:.3g} (median of the reports before). It "
            "is clipped; if the loss rises now and does not come back, go back to a checkpoint "
            "with a lower --learning_rate, in a new --output_dir."
        )


class StillLoss:
    """A loss that is the same in many reports."""

    def __init__(self):
        self._losses = deque(maxlen=NUM_REPORTS_STILL)
        self._said = False

    def __call__(self, step: int, values: Mapping[str, float]) -> str | None:
        self._losses.append(values["loss"])
        if self._said or len(self._losses) < NUM_REPORTS_STILL:
            return None
        if max(self._losses) - min(self._losses) > LEAST_CHANGE * abs(fmean(self._losses)):
            return None
        self._said = True
        return (
            f"loss has been {values['loss']:.6g} in the last {NUM_REPORTS_STILL} reports: all "
            "batches are the same, or the model no longer looks at them. Look at the records, and "
            "at gradient_norm and learning_rate."
        )
