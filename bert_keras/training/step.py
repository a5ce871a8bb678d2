"""One training step and one evaluation step: what both the loop and `Trainer.fit` run.

Both are pure functions of tensors and variables, valid in a replica context. What a loss is divided
by is counted first and added over all replicas, so that each replica's gradient is its share of the
gradient of the whole batch. The optimizer adds the shares, then clips.
"""

from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf

from bert_keras.objectives.loss import Loss
from bert_keras.objectives.mean import Mean

Features = Mapping[str, tf.Tensor]
Objective = Callable[[Any, Features], dict[str, Mean]]  # of a model's outputs and the features
# Of a model, an objective, what its losses are divided by, and features: means and gradients.
Gradients = Callable[
    [keras.Model, Objective, dict[str, tf.Tensor], Features],
    tuple[dict[str, Mean], list[tf.Tensor]],
]


def add_over_replicas(values: tf.Tensor) -> tf.Tensor:
    """Returns the sum of all replicas' values; in a replica context."""
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce(tf.distribute.ReduceOp.SUM, values)


# --clipping -> what a replica divides by: the counts of the whole batch, or its own
WHOLE_COUNTS = {"global": add_over_replicas, "replica": tf.identity}


def gradients(
    model: keras.Model,
    objective: Objective,
    denominators: dict[str, tf.Tensor],
    features: Features,
) -> tuple[dict[str, Mean], list[tf.Tensor]]:
    """Runs the model forward and backward.

    Args:
        model: a functional model; it takes its inputs by name from `features`.
        objective: function of (outputs, features) -> dict of name -> Mean.
        denominators: name of a mean -> what its total is divided by; the quotients are the loss.
        features: dict of name -> tensor.

    Returns:
        The objective's dict of name -> Mean, not divided, and the gradient of the loss for each of
        the model's trainable variables.
    """
    with tf.GradientTape() as tape:
        means = objective(model(model_inputs(model, features), training=True), features)
        loss = total_loss(means, denominators)
    return means, tape.gradient(loss, model.trainable_variables)


def compiled(gradients_of: Gradients) -> Gradients:
    """Returns the same function, compiled by XLA as a whole."""
    return tf.function(gradients_of, jit_compile=True, autograph=False)


def accumulated(gradients_of: Gradients, num_micro_batches: int) -> Gradients:
    """Returns a function that runs `gradients_of` on equal parts of the batch, one after another.

    What it returns is that of the whole batch, since the denominators are; in memory are the
    activations of one part, and twice the gradients.
    """
    if num_micro_batches == 1:
        return gradients_of
    gradients_of = tf.function(gradients_of, autograph=False)  # traced once, called in two places

    def run(model, objective, denominators, features):
        parts = {name: _parts(values, num_micro_batches) for name, values in features.items()}

        def of_part(index):
            part = {name: values[index] for name, values in parts.items()}
            means, of_variables = gradients_of(model, objective, denominators, part)
            return means, [tf.convert_to_tensor(gradient) for gradient in of_variables]

        def add(index, sums):
            return index + 1, tf.nest.map_structure(tf.add, sums, of_part(index))

        _, sums = tf.while_loop(
            lambda index, _: index < num_micro_batches,
            add,
            (tf.constant(1), of_part(0)),
            parallel_iterations=1,  # so that one part is in memory at a time
        )
        return sums

    return run


def train_step(
    model: keras.Model,
    objective: Objective,
    losses: Mapping[str, Loss],
    optimizer: keras.optimizers.Optimizer,
    features: Features,
    gradients_of: Gradients = gradients,
    whole_counts: Callable[[tf.Tensor], tf.Tensor] = add_over_replicas,
) -> dict[str, Mean]:
    """Updates the model once.

    Args:
        model: a functional model; it takes its inputs by name from `features`.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: name of a mean -> how it becomes a term of the loss.
        optimizer: sums gradients over replicas.
        features: dict of name -> tensor, the share of this replica.
        gradients_of: runs the model forward and backward.
        whole_counts: function of this replica's counts -> those to divide by.

    Returns:
        The objective's dict of name -> Mean for this replica's share, not yet divided.
    """
    counts = tf.stack([loss.count(features) for loss in losses.values()])
    denominators = {
        name: count + losses[name].added
        for name, count in zip(losses, tf.unstack(whole_counts(counts)), strict=True)
    }
    means, of_variables = gradients_of(model, objective, denominators, features)
    optimizer.apply_gradients(zip(of_variables, model.trainable_variables, strict=True))
    return means


def evaluation_step(
    model: keras.Model, objective: Objective, features: Features
) -> dict[str, Mean]:
    """Returns the objective's dict of name -> Mean for this replica's share of the batch."""
    return objective(model(model_inputs(model, features), training=False), features)


def model_inputs(model: keras.Model, features: Features) -> dict[str, tf.Tensor]:
    """Returns those of the features that the model takes as inputs."""
    return {tensor.name: features[tensor.name] for tensor in model.inputs}


def total_loss(means: Mapping[str, Mean], denominators: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Returns the sum of the totals, each divided by its denominator; 0 where nothing counts."""
    return sum(
        tf.math.divide_no_nan(means[name].total, denominator)
        for name, denominator in denominators.items()
    )


def _parts(values, num_parts):
    """[B, ...] -> [num_parts, B / num_parts, ...]"""
    parts = tf.reshape(values, tf.concat([[num_parts, -1], tf.shape(values)[1:]], axis=0))
    num_rows = values.shape[0] and values.shape[0] // num_parts
    return tf.ensure_shape(parts, [num_parts, num_rows, *values.shape[1:]])
