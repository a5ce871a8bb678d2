"""What every optimizer here does before its own rule: add gradients over replicas, then clip.

Keras clips each replica's gradient before it adds them, so that two devices take another step than
one (`create_optimizer` of google-research/bert clips the whole gradient).
"""

import functools

import keras
import tensorflow as tf

from bert_keras.errors import InputError


class ClippedOptimizer(keras.optimizers.Optimizer):
    """An optimizer whose step is the same on one device and on many.

    A subclass gives `slots` and `update_on_device`. The loss that a replica differentiates is its
    share of the global mean, so that the gradients are summed. `gradient_norm` holds the global
    norm of the last step's gradient before clipping.

    Keras' own options (`clipnorm`, `weight_decay`, `gradient_accumulation_steps` …) are not
    offered: they would act on each replica, or a second time.

    Args:
        learning_rate: a number or a schedule; step k uses `schedule(k - 1)`.
        clip_norm: the largest global norm; None clips nothing.
        name: the name of the optimizer.

    Raises:
        InputError: a number is out of its range.
    """

    def __init__(self, learning_rate, clip_norm: float | None, name: str):
        if clip_norm is not None and not clip_norm > 0:
            raise InputError(f"clip_norm must be greater than 0 or None. Received: {clip_norm}")
        if isinstance(learning_rate, float | int) and not learning_rate >= 0:
            raise InputError(f"learning_rate must be at least 0. Received: {learning_rate}")
        super().__init__(learning_rate=learning_rate, name=name)
        self.clip_norm = clip_norm

    def build(self, variables):
        super().build(variables)
        self.gradient_norm = self.add_variable(
            shape=(), name="gradient_norm", aggregation="only_first_replica"
        )

    def slots(self, index: int) -> tuple[keras.Variable, ...]:
        """The slots of the `index`-th of the variables that `build` was given."""
        raise NotImplementedError(f"{type(self).__name__} must define slots.")

    def update_on_device(self, index: int, variable, slots, gradient, learning_rate, scale) -> None:
        """Updates on one device the `index`-th variable.

        Args:
            index: which variable it is.
            variable: its component on this device.
            slots: the components of its slots on this device.
            gradient: the sum over all replicas, not yet clipped.
            learning_rate: of this step, a scalar.
            scale: what the gradient is to be multiplied by, a scalar.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update_on_device.")

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        variables = [getattr(variable, "value", variable) for variable in trainable_variables]
        grads_and_vars = self._all_reduce_sum_gradients(zip(grads, variables, strict=True))
        norm = tf.linalg.global_norm([gradient for gradient, _ in grads_and_vars])
        self.gradient_norm.assign(norm)
        tf.__internal__.distribute.interim.maybe_merge_call(
            self._update_all,
            self._distribution_strategy,
            grads_and_vars,
            tf.cast(learning_rate, norm.dtype),
            self._clip_scale(norm),
        )

    def _clip_scale(self, norm):
        """1, or clip_norm / norm where that is less; not a number where the norm is none."""
        if self.clip_norm is None:
            return tf.ones_like(norm)
        return self.clip_norm * tf.minimum(1.0 / norm, 1.0 / self.clip_norm) + (norm - norm)

    def _update_all(self, strategy, grads_and_vars, learning_rate, scale):
        for gradient, variable in grads_and_vars:
            index = self._get_variable_index(variable)
            slots = tuple(slot.value for slot in self.slots(index))
            # The strategy hands each device its own component of all these.
            strategy.extended.update(
                variable,
                functools.partial(self.update_on_device, index),
                args=(slots, gradient, learning_rate, scale),
                group=False,
            )

    def get_config(self):
        config = super().get_config()
        return {key: config[key] for key in ("name", "learning_rate")} | {
            "clip_norm": self.clip_norm
        }
