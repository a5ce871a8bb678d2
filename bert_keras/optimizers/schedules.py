"""Learning rates: linear warm-up, then polynomial decay to the last step, or none.

`create_optimizer` in optimization.py of google-research/bert. `schedule(0)` is the rate of the
first step.
"""

import math

import keras
import tensorflow as tf

from bert_keras.errors import InputError


class _WarmupDecay(keras.optimizers.schedules.LearningRateSchedule):
    """The numbers of the schedules; which step the decay counts from is theirs to say.

    Args:
        peak_learning_rate: where the warm-up leads to.
        num_train_steps: after so many steps the decay has ended.
        num_warmup_steps: step k <= num_warmup_steps has the rate peak * (k - 1) / num_warmup_steps.
        end_learning_rate: where the decay ends.
        power: of the part of the decay that is left: 1 is a line, 0.5 falls late, 2 early.

    Raises:
        InputError: a number is out of its range.
    """

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
        if not 0 < power < math.inf:
            raise InputError(f"power must be finite and greater than 0. Received: power={power}")
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


@keras.saving.register_keras_serializable("bert_keras")
class SlantedTriangular(_WarmupDecay):
    """ULMFiT's: the rate rises from peak / ratio and falls back to it, both on a line.

    Howard & Ruder 2018 (arXiv:1801.06146), equation 3. `num_warmup_steps` is its `cut`.
    With peak 1e-4, ratio 32, 1000 steps, 100 of warm-up: 0 -> 3.125e-6, 100 -> 1.0e-4,
    1000 -> 3.125e-6.

    Args:
        peak_learning_rate: where the warm-up leads to.
        num_train_steps: after so many steps the decay has ended.
        num_warmup_steps: after so many steps the rate is at its peak.
        ratio: how many times smaller the lowest rate is than the peak.

    Raises:
        InputError: a number is out of its range.
    """

    def __init__(
        self,
        peak_learning_rate: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        ratio: float = 32.0,
    ):
        if not 1 <= ratio < math.inf:
            raise InputError(f"ratio must be finite and at least 1. Received: ratio={ratio}")
        lowest = peak_learning_rate / ratio
        super().__init__(peak_learning_rate, num_train_steps, num_warmup_steps, lowest)
        self.ratio = ratio

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        cut = self.num_warmup_steps
        rising = step / max(cut, 1)
        falling = 1.0 - (step - cut) / max(self.num_train_steps - cut, 1)
        share = tf.maximum(tf.where(step < cut, rising, falling), 0.0)
        return self.peak_learning_rate * (1.0 + share * (self.ratio - 1.0)) / self.ratio

    def get_config(self):
        config = super().get_config() | {"ratio": self.ratio}
        del config["end_learning_rate"], config["power"]
        return config


@keras.saving.register_keras_serializable("bert_keras")
class WarmupConstant(_WarmupDecay):
    """The peak to the end: step k gets peak * min(1, (k - 1) / num_warmup_steps).

    With peak 1e-4, 100 steps of warm-up: 0 -> 0, 99 -> 9.9e-5, 100 -> 1.0e-4, 1000 -> 1.0e-4.

    It takes what the other schedules take, so that one can stand for another; what has no meaning
    without a decay is refused instead of passed over.

    Args:
        peak_learning_rate: where the warm-up leads to.
        num_train_steps: changes no rate.
        num_warmup_steps: the first step at the peak is the next one.
        power: 1.

    Raises:
        InputError: a number is out of its range.
    """

    def __init__(
        self,
        peak_learning_rate: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        power: float = 1.0,
    ):
        if power != 1:
            raise InputError(
                "WarmupConstant has no decay, so its power must be 1. "
                f"Received: power={power}. Leave it out, or take a schedule that decays."
            )
        super().__init__(peak_learning_rate, num_train_steps, num_warmup_steps)

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        return self._warm_up(step, tf.fill(tf.shape(step), self.peak_learning_rate))

    def get_config(self):
        config = super().get_config()
        del config["end_learning_rate"]
        return config
