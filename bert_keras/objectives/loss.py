"""What a summed loss is divided by: known from the features alone, before the model has run.

So replicas and micro-batches can add their counts first, and each then differentiates its exact
share of the loss of the whole batch.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import tensorflow as tf


class Loss(NamedTuple):
    """One of the losses that are added.

    Attributes:
        count: function of the features of some examples -> float32 count that these examples have.
        added: what is added once to the count of the whole batch.
    """

    count: Callable[[Mapping[str, tf.Tensor]], tf.Tensor]
    added: float = 0.0


def num_examples(features: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """How many rows are examples; the others fill up a batch."""
    return tf.reduce_sum(features["example_weights"])
