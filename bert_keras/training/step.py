"""One training step and one evaluation step: what both the loop and `Trainer.fit` run.

Both are pure functions of tensors and variables, valid in a replica context: counts are added over
all replicas before a loss is divided, so that each replica's gradient is its share of the gradient
of the whole batch. The optimizer adds the shares, then clips.
"""

from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf

from bert_keras.objectives.mean import Mean

Features = Mapping[str, tf.Tensor]
Objective = Callable[[Any, Features], dict[str, Mean]]  # of a model's outputs and the features


def train_step(
    model: keras.Model,
    objective: Objective,
    losses: Mapping[str, float],
    optimizer: keras.optimizers.Optimizer,
    features: Features,
) -> dict[str, Mean]:
    """Updates the model once.

    Args:
        model: a functional model; it takes its inputs by name from `features`.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: dict of the names of the means that are added to give the loss -> what is added to
            a count before it divides.
        optimizer: sums gradients over replicas.
        features: dict of name -> tensor, the share of this replica.

    Returns:
        The objective's dict of name -> Mean for this replica's share, not yet divided.
    """
    with tf.GradientTape() as tape:
        means = objective(model(model_inputs(model, features), training=True), features)
        loss = total_loss(means, losses)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return means


def evaluation_step(
    model: keras.Model, objective: Objective, features: Features
) -> dict[str, Mean]:
    """Returns the objective's dict of name -> Mean for this replica's share of the batch."""
    return objective(model(model_inputs(model, features), training=False), features)


def model_inputs(model: keras.Model, features: Features) -> dict[str, tf.Tensor]:
    """Returns those of the features that the model takes as inputs."""
    return {tensor.name: features[tensor.name] for tensor in model.inputs}


def total_loss(means: Mapping[str, Mean], losses: Mapping[str, float]) -> tf.Tensor:
    """Returns this replica's share of the loss of the whole batch; 0 where nothing is counted."""
    return sum(
        tf.math.divide_no_nan(means[name].total, _whole_count(means[name].count) + added)
        for name, added in losses.items()
    )


def _whole_count(count: tf.Tensor) -> tf.Tensor:
    """The count over all replicas."""
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce(tf.distribute.ReduceOp.SUM, tf.stop_gradient(count))
