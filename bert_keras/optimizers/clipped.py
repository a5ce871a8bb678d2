"""What every optimizer here does before its own rule: add gradients over replicas, and clip.

Keras clips each replica's gradient before it adds them, so that two devices take another step than
one (`create_optimizer` of google-research/bert clips the whole gradient on one device).
"""

import functools
import math
from typing import NamedTuple

import keras
import tensorflow as tf

from bert_keras.errors import InputError


class Step(NamedTuple):
    """What the updates of all variables in a step share: scalars of float32."""

    number: tf.Tensor  # of this step, from 1
    learning_rate: tf.Tensor
    gradient_scale: tf.Tensor  # what the summed gradient is to be multiplied by


class ClippedOptimizer(keras.optimizers.Optimizer):
    """An optimizer whose step is the same on one device and on many.

    A subclass gives `slots` and `update_on_device`. The gradients that replicas give are summed.

    With clipping "global", the loss that a replica differentiates is its share of the global mean.
    The sum is clipped, so that any number of replicas takes the same step. `gradient_norm` holds
    the norm of the last step's sum before clipping.

    With clipping "replica", the loss of a replica is the mean over its own examples. Each replica
    clips its gradient by its own norm; the clipped ones are summed: what google-research/bert does
    on a TPU, where `CrossShardOptimizer.apply_gradients` sums what every core has clipped. The step
    depends on the number of replicas. `gradient_norm` holds the mean over replicas of the norms of
    their own gradients before clipping.

    The norm of `tf.IndexedSlices` counts a repeated row each time, as that of the original's
    `tf.clip_by_global_norm` does. Tied word embeddings have a dense gradient.

    Keras' own options (`clipnorm`, `weight_decay`, `gradient_accumulation_steps` …) are not
    offered: they would act on each replica, or a second time.

    Args:
        learning_rate: a number or a schedule; step k uses `schedule(k - 1)`.
        clip_norm: the largest norm of all gradients together; None clips nothing.
        clipping: whose norm that is, "global" or "replica".
        name: the name of the optimizer.

    Raises:
        InputError: a number is out of its range; there is no such clipping.
    """

    def __init__(self, learning_rate, clip_norm: float | None, clipping: str, name: str):
        if clip_norm is not None and not 0 < clip_norm < math.inf:
            raise InputError(
                f"clip_norm must be finite and greater than 0, or None. Received: {clip_norm}"
            )
        if isinstance(learning_rate, float | int) and not 0 <= learning_rate < math.inf:
            raise InputError(
                f"learning_rate must be finite and at least 0. Received: {learning_rate}"
            )
        if clipping not in CLIPPINGS:
            raise InputError(f"clipping must be one of {[*CLIPPINGS]}. Received: {clipping!r}")
        super().__init__(learning_rate=learning_rate, name=name)
        self.clip_norm = clip_norm
        self.clipping = clipping

    def build(self, variables):
        super().build(variables)
        self.gradient_norm = self.add_variable(
            shape=(), name="gradient_norm", aggregation="only_first_replica"
        )

    def slots(self, index: int) -> tuple[keras.Variable, ...]:
        """The slots of the `index`-th of the variables that `build` was given."""
        raise NotImplementedError(f"{type(self).__name__} must define slots.")

    def update_on_device(self, index: int, variable, slots, gradient, step: Step) -> None:
        """Updates on one device the `index`-th variable.

        Args:
            index: which variable it is.
            variable: its component on this device.
            slots: the components of its slots on this device.
            gradient: the sum over all replicas, a tensor or `tf.IndexedSlices`.
            step: what the updates of all variables share.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update_on_device.")

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        variables = [getattr(variable, "value", variable) for variable in trainable_variables]
        gradients, norm, scale = CLIPPINGS[self.clipping](grads, self.clip_norm)
        self.gradient_norm.assign(norm)
        step = Step(
            tf.cast(self.iterations + 1, tf.float32), tf.cast(learning_rate, tf.float32), scale
        )
        tf.__internal__.distribute.interim.maybe_merge_call(
            self._update_all,
            self._distribution_strategy,
            gradients,
            variables,
            step,
        )

    def _update_all(self, strategy, gradients, variables, step):
        for gradient, variable in zip(gradients, variables, strict=True):
            index = self._get_variable_index(variable)
            slots = tuple(slot.value for slot in self.slots(index))
            # The strategy hands each device its own component of all these.
            strategy.extended.update(
                variable,
                functools.partial(self.update_on_device, index),
                args=(slots, gradient, step),
                group=False,
            )

    def get_config(self):
        config = super().get_config()
        return {key: config[key] for key in ("name", "learning_rate")} | {
            "clip_norm": self.clip_norm,
            "clipping": self.clipping,
        }


def _sum_then_clip(gradients, clip_norm):
    summed = _over_replicas(tf.distribute.ReduceOp.SUM, gradients)
    norm = tf.linalg.global_norm(summed)
    return summed, norm, _scale(norm, clip_norm)


def _clip_then_sum(gradients, clip_norm):
    norm = tf.linalg.global_norm(gradients)
    scale = _scale(norm, clip_norm)
    clipped = [tf.math.scalar_mul(scale, gradient) for gradient in gradients]
    summed = _over_replicas(tf.distribute.ReduceOp.SUM, clipped)
    return summed, _over_replicas(tf.distribute.ReduceOp.MEAN, norm), tf.ones_like(norm)


# Each a function of (the gradients of a replica, clip_norm) -> their sums over all replicas, the
# norm to show, and what the sums are to be multiplied by: left to the update, which reads them all.
CLIPPINGS = {"global": _sum_then_clip, "replica": _clip_then_sum}


def _over_replicas(operation, values):
    return tf.distribute.get_replica_context().all_reduce(operation, values)


def _scale(norm, clip_norm):
    """1, or clip_norm / norm where that is less; not a number where the norm is none."""
    if clip_norm is None:
        return tf.ones_like(norm)
    return clip_norm * tf.minimum(1.0 / norm, 1.0 / clip_norm) + (norm - norm)
