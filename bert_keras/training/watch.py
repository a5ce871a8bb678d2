"""Live checks: what the reports of a training show that its user should hear of.

A check is called with each report and returns a sentence when there is something to say, at most
once unless it says otherwise. It knows nothing but the numbers it was given: no clock, no file.
They are warnings, not rules: a training goes on.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping
from statistics import fmean, median

Check = Callable[[int, Mapping[str, float]], str | None]  # of a step and the values of its report

SPIKE = 10.0  # times the median of the reports before; healthy runs stay within 4
NUM_REPORTS_OF_MEDIAN = 20
FEWEST_REPORTS_OF_MEDIAN = 5
SMALLEST_SPIKE = 1.0  # the norm that is clipped to: what is less moves the weights no further
NUM_REPORTS_BETWEEN_SPIKES = 100
# Batches differ by a percent; a loss that is the same to four digits sees no data or no gradient.
LEAST_CHANGE = 1e-4
NUM_REPORTS_STILL = 10


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
            "Look at --learning_rate, the warm-up and the number of steps."
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
