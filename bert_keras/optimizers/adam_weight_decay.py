"""Adam as BERT was trained with: no bias correction, decoupled weight decay, clipped gradients.

`AdamWeightDecayOptimizer` and `create_optimizer` of google-research/bert.
"""

import functools
import math
from collections.abc import Sequence

import keras
import tensorflow as tf

from bert_keras.optimizers.decayed_adam import (
    DecayedAdam,
    handles,
    read,
    share_of_gradients,
    update_moments,
    write,
)
from bert_keras.optimizers.exclusions import EXCLUDE_FROM_WEIGHT_DECAY
from bert_keras.optimizers.rate_factors import RateFactor


@keras.saving.register_keras_serializable("bert_keras")
class AdamWeightDecay(DecayedAdam):
    """m, v <- moving averages of g, g^2; w <- w - rate * (m / (sqrt(v) + epsilon) + decay * w).

    Arguments and errors are those of `DecayedAdam`, and those below; the defaults are the
    original's.

    Args:
        correct_bias: whether m counts sqrt(1 - beta_2^k) / (1 - beta_1^k) times in step k, which
            takes the bias of both moments towards 0 away (Kingma & Ba 2014, end of section 2). The
            first steps are up to three times larger without.
        rate_factors: by what the rate of a variable is multiplied, its decay too. A variable whose
            factor is 0 keeps its value.
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
        correct_bias: bool = False,
        rate_factors: Sequence[RateFactor] = (),
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
        self.correct_bias = correct_bias
        self.rate_factors = tuple(rate_factors)

    def update_on_device(self, index, variable, slots, gradient, step):
        gradient = tf.convert_to_tensor(gradient)
        update = _compiled_update(
            self.beta_1, self.beta_2, self.epsilon, self.decay_rates[index], tuple(variable.shape)
        )
        path = self._trainable_variables[index].path
        factor = math.prod(factor_of(path, step.number) for factor_of in self.rate_factors)
        step = step._replace(learning_rate=step.learning_rate * factor)
        correction = CORRECTIONS[self.correct_bias](self.beta_1, self.beta_2, step.number)
        update(*handles(variable, slots), gradient, step, correction)

    def get_config(self):
        return super().get_config() | {
            "correct_bias": self.correct_bias,
            "rate_factors": keras.saving.serialize_keras_object(self.rate_factors),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        factors = keras.saving.deserialize_keras_object(
            config.get("rate_factors", ()), custom_objects
        )
        return super().from_config(config | {"rate_factors": factors}, custom_objects)


# correct_bias -> what m is multiplied by, of beta_1, beta_2 and the number of the step
CORRECTIONS = {
    False: lambda beta_1, beta_2, number: tf.ones_like(number),
    True: lambda beta_1, beta_2, number: (
        tf.sqrt(share_of_gradients(beta_2, number)) / share_of_gradients(beta_1, number)
    ),
}


@functools.cache
def _compiled_update(beta_1, beta_2, epsilon, decay_rate, shape):
    @tf.function(jit_compile=True, autograph=False)
    def update(weight, adam_m, adam_v, gradient, step, correction):
        gradient = tf.ensure_shape(gradient, shape) * step.gradient_scale
        m, v = update_moments(adam_m, adam_v, gradient, beta_1, beta_2)
        value = read(weight, shape)
        direction = correction * m / (tf.sqrt(v) + epsilon) + decay_rate * value
        value -= step.learning_rate * direction
        write(weight, value)

    return update
