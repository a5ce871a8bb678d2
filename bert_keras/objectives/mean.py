"""A mean that is not yet divided, so that batches and replicas can be added exactly."""

from typing import NamedTuple

import tensorflow as tf


class Mean(NamedTuple):
    """A float32 total and the float32 count that it is to be divided by."""

    total: tf.Tensor
    count: tf.Tensor
