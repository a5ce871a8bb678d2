"""Learning rates: linear warm-up, then polynomial decay to the last step.

`create_optimizer` in optimization.py of google-research/bert. `schedule(0)` is the rate of the
first step.
"""

import math

import keras
import tensorflow as tf

from bert_keras.errors import InputError


class _WarmupDecay(keras.optimizers.schedules.LearningRateSchedule):
    """The numbers of both schedules; which step the decay counts from is theirs to say."""

    def __init__(
        self,
        peak_learning_rate: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        end_learning_rate: float = 0.0,
        power: float = 1.0,
    ):
        if num_train_steps < 1 or num_warmup_steps < 0:
            raise InputError(
                "A schedule needs num_train_steps >= 1 and num_warmup_steps >= 0. Received: "
                f"num_train_steps={num_train_steps}, num_warmup_steps={num_warmup_steps}"
            )
        if not (0 <= peak_learning_rate < math.inf and 0 <= end_learning_rate < math.inf):
            raise InputError(
                "The learning rates of a schedule must be finite and at least 0. Received: "
                f"peak_learning_rate={peak_learning_rate}, end_learning_rate={end_learning_rate}"
            )
        self.peak_learning_rate = peak_learning_rate
        self.num_train_steps = num_train_steps
        self.num_warmup_steps = num_warmup_steps
        self.end_learning_rate = end_learning_rate
        self.power = power

    def _warm_up(self, step, decayed):
        if not self.num_warmup_steps:
            return decayed
        warming = self.peak_learning_rate * (step / self.num_warmup_steps)
        return tf.where(step < self.num_warmup_steps, warming, decayed)

    def _decay(self, step, num_steps: int):
        span = self.peak_learning_rate - self.end_learning_rate
        remaining = 1.0 - tf.minimum(step, float(num_steps)) / num_steps
        return span * remaining**self.power + self.end_learning_rate

    def get_config(self):
        return {
            "peak_learning_rate": self.peak_learning_rate,
            "num_train_steps": self.num_train_steps,
            "num_warmup_steps": self.num_warmup_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
        }


@keras.saving.register_keras_serializable("bert_keras")
class WarmupPolynomialDecay(_WarmupDecay):
    """The original's: the decay counts from step 0, so the rate drops where the warm-up ends.

    With peak 1e-4, 1000 steps, 100 of warm-up: 99 -> 9.9e-5, 100 -> 9.0e-5, 1000 -> 0.
    """

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        return self._warm_up(step, self._decay(step, self.num_train_steps))


@keras.saving.register_keras_serializable("bert_keras")
class ContinuousWarmupPolynomialDecay(_WarmupDecay):
    """The decay counts from the end of the warm-up: the rate reaches its peak and has no step.

    With peak 1e-4, 1000 steps, 100 of warm-up: 99 -> 9.9e-5, 100 -> 1.0e-4, 1000 -> 0.
    """

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        since_peak = tf.maximum(step - self.num_warmup_steps, 0.0)
        num_decay_steps = max(self.num_train_steps - self.num_warmup_steps, 1)
        return self._warm_up(step, self._decay(since_peak, num_decay_steps))
