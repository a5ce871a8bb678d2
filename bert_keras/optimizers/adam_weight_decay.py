"""Adam as BERT was trained with: no bias correction, decoupled weight decay, clipped gradients.

`AdamWeightDecayOptimizer` and `create_optimizer` of google-research/bert.
"""

import functools
from collections.abc import Sequence

import keras
import tensorflow as tf

from bert_keras.optimizers.decayed_adam import DecayedAdam, handles, read, update_moments, write
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
        clipping: str = "global",
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
            clipping,
            name,
        )

    def update_on_device(self, index, variable, slots, gradient, step):
        gradient = tf.convert_to_tensor(gradient)
        update = _compiled_update(
            self.beta_1, self.beta_2, self.epsilon, self.decay_rates[index], tuple(variable.shape)
        )
        update(*handles(variable, slots), gradient, step)


@functools.cache
def _compiled_update(beta_1, beta_2, epsilon, decay_rate, shape):
    @tf.function(jit_compile=True, autograph=False)
    def update(weight, adam_m, adam_v, gradient, step):
        gradient = tf.ensure_shape(gradient, shape) * step.gradient_scale
        m, v = update_moments(adam_m, adam_v, gradient, beta_1, beta_2)
        value = read(weight, shape)
        value -= step.learning_rate * (m / (tf.sqrt(v) + epsilon) + decay_rate * value)
        write(weight, value)

    return update
