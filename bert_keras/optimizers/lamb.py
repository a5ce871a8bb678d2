"""Lamb, for large batches: Adam, with each variable's step scaled to the size of its weights.

You et al. 2019 (arXiv:1904.00962), Algorithm 2 as published at ICLR 2020, with phi(z) = z.
"""

import functools
from collections.abc import Sequence

import keras
import tensorflow as tf

from bert_keras.optimizers.decayed_adam import (
    DecayedAdam,
    handles,
    read,
    share_of_gradients,
    update_moments,
)
from bert_keras.optimizers.exclusions import EXCLUDE_FROM_WEIGHT_DECAY, Exclusions


@keras.saving.register_keras_serializable("bert_keras")
class Lamb(DecayedAdam):
    """w <- w - rate * |w| / |d| * d, where d = m^ / (sqrt(v^) + epsilon) + decay * w.

    m^ = m / (1 - beta_1^k) and v^ = v / (1 - beta_2^k) are the moments of step k without their bias
    towards 0; |.| is the norm of a whole variable. Where |w| or |d| is 0, their ratio counts as 1.
    `keras.optimizers.Lamb` decays outside the ratio, so that it takes other steps.

    Arguments and errors are those of `DecayedAdam`, and those below. The default rate is the
    paper's for BERT with batches of 512 examples; it grows with the square root of their size.

    Args:
        exclude_from_layer_adaptation: regular expressions, searched in the paths of variables whose
            ratio is 1. The paper scales every variable; the authors' code passes over those that
            are not decayed (`exclude_from_layer_adaptation=EXCLUDE_FROM_WEIGHT_DECAY`).

    Raises:
        InputError: also for a pattern of `exclude_from_layer_adaptation`, as for the others.
    """

    def __init__(
        self,
        learning_rate=6.25e-4,
        weight_decay_rate: float = 0.01,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-6,
        exclude_from_weight_decay: Sequence[str] = EXCLUDE_FROM_WEIGHT_DECAY,
        exclude_from_layer_adaptation: Sequence[str] = (),
        clip_norm: float | None = 1.0,
        clipping: str = "global",
        name: str = "lamb",
    ):
        super().__init__(
            learning_rate,
            weight_decay_rate,
            beta_1,
            beta_2,
            epsilon,
            exclude_from_weight_decay,
            clip_norm,
            clipping,
            name,
        )
        self._unadapted = Exclusions("exclude_from_layer_adaptation", exclude_from_layer_adaptation)

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        paths = [variable.path for variable in variables]
        self._unadapted.check(paths)
        self._ratios = [_one if self._unadapted.cover(path) else _trust_ratio for path in paths]

    def update_on_device(self, index, variable, slots, gradient, step):
        gradient = tf.convert_to_tensor(gradient)
        move_moments = _compiled_direction(
            self.beta_1, self.beta_2, self.epsilon, self.decay_rates[index], tuple(variable.shape)
        )
        direction = move_moments(*handles(variable, slots), gradient, step)
        # Outside of what is compiled: XLA adds up the squares of a word table four times slower.
        ratio = self._ratios[index](read(variable.handle, variable.shape), direction)
        tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=step.learning_rate * ratio, delta=direction
        )

    def get_config(self):
        return super().get_config() | {"exclude_from_layer_adaptation": self._unadapted.patterns}


@functools.cache
def _compiled_direction(beta_1, beta_2, epsilon, decay_rate, shape):
    """A function that moves the moments of a variable of `shape` and returns its direction d."""

    @tf.function(jit_compile=True, autograph=False)
    def move_moments(weight, adam_m, adam_v, gradient, step):
        gradient = tf.ensure_shape(gradient, shape) * step.gradient_scale
        m, v = update_moments(adam_m, adam_v, gradient, beta_1, beta_2)
        m /= share_of_gradients(beta_1, step.number)
        v /= share_of_gradients(beta_2, step.number)
        return m / (tf.sqrt(v) + epsilon) + decay_rate * read(weight, shape)

    return move_moments


def _trust_ratio(weight, direction):
    weight_norm = tf.linalg.global_norm([weight])
    direction_norm = tf.linalg.global_norm([direction])
    has_both = (weight_norm > 0) & (direction_norm > 0)
    return tf.where(has_both, weight_norm / direction_norm, 1.0)


def _one(*_):
    return 1.0
