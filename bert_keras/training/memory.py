"""Memory that TensorFlow would keep for as long as a process lives."""

import contextlib
from collections.abc import Iterator

import keras
import tensorflow as tf


@contextlib.contextmanager
def freed_variables() -> Iterator[None]:
    """Frees the memory of all variables that are made within: model, moments, seeds.

    To drop them is not enough: TensorFlow keeps the graph around every `tf.custom_gradient` for as
    long as the process lives, and with it the variables that the graph uses. So they are emptied.
    """
    variables = []

    def noted(next_creator, **options):
        variables.append(next_creator(**options))
        return variables[-1]

    with tf.variable_creator_scope(noted):
        yield
    keras.utils.clear_session()  # collects garbage, too
    for variable in variables:
        tf.raw_ops.AssignVariableOp(resource=variable.handle, value=tf.zeros([0], variable.dtype))
