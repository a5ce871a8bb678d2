"""Adam as BERT was trained with: no bias correction, decoupled weight decay, clipped gradients.

`AdamWeightDecayOptimizer` and `create_optimizer` of google-research/bert.
"""

import dataclasses
from collections.abc import Sequence

import keras
import tensorflow as tf

from bert_keras.optimizers.decayed_adam import DecayedAdam
from bert_keras.optimizers.exclusions import EXCLUDE_FROM_WEIGHT_DECAY


@keras.saving.register_keras_serializable("bert_keras")
class AdamWeightDecay(DecayedAdam):
    """m, v <- moving averages of g, g^2; w <- w - rate * (m / (sqrt(v) + epsilon) + decay * w).

    Arguments and errors are those of `DecayedAdam`; the defaults are the original's.
    """

    def __init__(
        self,
        learning_rate=5e-5,
        weight_decay_rate: float = 0.01,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-6,
        exclude_from_weight_decay: Sequence[str] = EXCLUDE_FROM_WEIGHT_DECAY,
        clip_norm: float | None = 1.0,
        name: str = "adam_weight_decay",
    ):
        super().__init__(
            learning_rate,
            weight_decay_rate,
            beta_1,
            beta_2,
            epsilon,
            exclude_from_weight_decay,
            clip_norm,
            name,
        )

    def direction(self, path):
        return _Direction(self.epsilon, self.decay_rate(path))


@dataclasses.dataclass(frozen=True)
class _Direction:
    epsilon: float
    decay_rate: float

    def __call__(self, weight, m, v):
        return m / (tf.sqrt(v) + self.epsilon) + self.decay_rate * weight
