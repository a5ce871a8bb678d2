"""Learning rates: linear warm-up, then polynomial decay to the last step.

`create_optimizer` in optimization.py of google-research/bert. `schedule(0)` is the rate of the
first step.
"""

import keras
import tensorflow as tf

from bert_keras.errors import InputError


class _WarmupDecay(keras.optimizers.schedules.LearningRateSchedule):
    """The numbers of both schedules; which step the decay counts from is theirs to say."""

    def __init__(
        self,
        peak: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        end: float = 0.0,
        power: float = 1.0,
    ):
        if num_train_steps < 1 or num_warmup_steps < 0:
            raise InputError(
                "A schedule needs num_train_steps >= 1 and num_warmup_steps >= 0. Received: "
                f"num_train_steps={num_train_steps}, num_warmup_steps={num_warmup_steps}"
            )
        self.peak = peak
        self.num_train_steps = num_train_steps
        self.num_warmup_steps = num_warmup_steps
        self.end = end
        self.power = power

    def _warm_up(self, step, decayed):
        if not self.num_warmup_steps:
            return decayed
        warming = self.peak * (step / self.num_warmup_steps)
        return tf.where(step < self.num_warmup_steps, warming, decayed)

    def _decay(self, step, num_steps: int):
        remaining = 1.0 - tf.minimum(step, float(num_steps)) / num_steps
        return (self.peak - self.end) * remaining**self.power + self.end

    def get_config(self):
        return {
            "peak": self.peak,
            "num_train_steps": self.num_train_steps,
            "num_warmup_steps": self.num_warmup_steps,
            "end": self.end,
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
