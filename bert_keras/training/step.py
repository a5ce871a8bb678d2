"""One training step and one evaluation step: what both the loop and `Trainer.fit` run.

Both are pure functions of tensors and variables, valid in a replica context: counts are added over
all replicas before a loss is divided, so that each replica's gradient is its share of the gradient
of the whole batch. The optimizer adds the shares, then clips.
"""

import tensorflow as tf

# The original divides the masked LM loss by its count + 1e-5: a batch without masks has loss 0.
EPSILON = 1e-5


def train_step(model, objective, losses, optimizer, features):
    """Updates the model once.

    Args:
        model: a functional model; it takes its inputs by name from `features`.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: the names of the means that are added to give the loss.
        optimizer: sums gradients over replicas.
        features: dict of name -> tensor, the share of this replica.

    Returns:
        The objective's dict of name -> Mean for this replica's share, not yet divided.
    """
    with tf.GradientTape() as tape:
        means = objective(model(model_inputs(model, features), training=True), features)
        loss = sum(means[name].total / _whole_count(means[name].count) for name in losses)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return means


def evaluation_step(model, objective, features):
    """Returns the objective's dict of name -> Mean for this replica's share of the batch."""
    return objective(model(model_inputs(model, features), training=False), features)


def model_inputs(model, features):
    """Returns those of the features that the model takes as inputs."""
    return {tensor.name: features[tensor.name] for tensor in model.inputs}


def _whole_count(count):
    """The count over all replicas."""
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce(tf.distribute.ReduceOp.SUM, tf.stop_gradient(count)) + EPSILON
