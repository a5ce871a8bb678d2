"""What AdamWeightDecay and Lamb share: Adam's moments, and decay of weights, but not of all.

Kingma & Ba 2014 (arXiv:1412.6980), Loshchilov & Hutter 2017 (arXiv:1711.05101).
"""

import math
from collections.abc import Sequence

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.optimizers.clipped import ClippedOptimizer
from bert_keras.optimizers.exclusions import Exclusions


class DecayedAdam(ClippedOptimizer):
    """m, v <- moving averages of g, g^2; what they do to a weight, a subclass says.

    A subclass gives `update_on_device`.

    Args:
        learning_rate: a number or a schedule; step k uses `schedule(k - 1)`.
        weight_decay_rate: share of a weight that is taken away at rate 1.
        beta_1: how much of the mean gradient m is kept in a step.
        beta_2: how much of the mean squared gradient v is kept in a step.
        epsilon: added to the square root of v.
        exclude_from_weight_decay: regular expressions, searched in the paths of variables.
        clip_norm: the largest norm of all gradients together; None clips nothing.
        clipping: whose norm that is: "global", that of the gradient summed over replicas, or
            "replica", that of each replica's own.
        name: the name of the optimizer.

    Raises:
        InputError: a number is out of its range; there is no such clipping; a pattern of
            `exclude_from_weight_decay` is not a regular expression, or matches no variable
            though the list is not the original's.
    """

    def __init__(
        self,
        learning_rate,
        weight_decay_rate: float,
        beta_1: float,
        beta_2: float,
        epsilon: float,
        exclude_from_weight_decay: Sequence[str],
        clip_norm: float | None,
        clipping: str,
        name: str,
    ):
        super().__init__(learning_rate, clip_norm, clipping, name)
        is_share = 0 <= weight_decay_rate < math.inf
        self._check("weight_decay_rate", weight_decay_rate, is_share, "finite and at least 0")
        self._check("beta_1", beta_1, 0 <= beta_1 < 1, "in [0, 1)")
        self._check("beta_2", beta_2, 0 <= beta_2 < 1, "in [0, 1)")
        self._check("epsilon", epsilon, 0 < epsilon < math.inf, "finite and above 0")
        self.weight_decay_rate = weight_decay_rate
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self._undecayed = Exclusions("exclude_from_weight_decay", exclude_from_weight_decay)

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.adam_m, self.adam_v = self.add_optimizer_variables(variables, ["adam_m", "adam_v"])
        paths = [variable.path for variable in variables]
        self._undecayed.check(paths)
        self.decay_rates = [
            self.weight_decay_rate if self.is_decayed(path) else 0.0 for path in paths
        ]

    def is_decayed(self, path: str) -> bool:
        """Whether the variable of this path loses weight."""
        return not self._undecayed.cover(path)

    def describe_weight_decay(self) -> str:
        """A line for each variable that the optimizer was built with: decayed or not, its path."""
        return "\n".join(
            f"{'decayed    ' if self.is_decayed(variable.path) else 'not decayed'} {variable.path}"
            for variable in self._trainable_variables
        )

    def slots(self, index):
        return self.adam_m[index], self.adam_v[index]

    def get_config(self):
        return super().get_config() | {
            "weight_decay_rate": self.weight_decay_rate,
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "exclude_from_weight_decay": self._undecayed.patterns,
        }

    def _check(self, name, value, holds, rule):
        if not holds:
            raise InputError(f"{name} of {type(self).__name__} must be {rule}. Received: {value!r}")


def share_of_gradients(beta: float, step_number: tf.Tensor) -> tf.Tensor:
    """1 - beta^k: what is not the initial 0 in a moving average after k steps.

    By `expm1`, as the difference of float32 numbers would be wrong in its fifth digit at first.
    """
    logarithm = math.log(beta) if beta else -math.inf
    return -tf.math.expm1(logarithm * step_number)


def update_moments(adam_m, adam_v, gradient, beta_1: float, beta_2: float):
    """Moves both averages towards a gradient.

    This and what follows it is to be compiled as one pass over the memory instead of ten: for a
    word table that is 30 ms instead of 350. Handles stand for variables, so that variables of one
    shape share a compiled function on any device, and it outlives them.

    Args:
        adam_m: the handle of m.
        adam_v: the handle of v.
        gradient: a tensor, clipped.
        beta_1: how much of m is kept.
        beta_2: how much of v is kept.

    Returns:
        (m, v) as they are now, tensors of the shape of the gradient.
    """
    m = beta_1 * read(adam_m, gradient.shape) + (1.0 - beta_1) * gradient
    v = beta_2 * read(adam_v, gradient.shape) + (1.0 - beta_2) * tf.square(gradient)
    write(adam_m, m)
    write(adam_v, v)
    return m, v


def handles(variable, slots):
    """The handles of the components of a variable and its slots on one device."""
    return [component.handle for component in (variable, *slots)]


def read(handle, shape):
    """The value of the variable of a handle, which alone does not know its shape."""
    value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    return tf.ensure_shape(value, shape)


def write(handle, value):
    """Gives the variable of a handle a value."""
    tf.raw_ops.AssignVariableOp(resource=handle, value=value)
