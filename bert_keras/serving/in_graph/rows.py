"""Inputs of texts as sequences of a model: what the graph's half of a task gives and takes."""

from typing import NamedTuple

import tensorflow as tf

Tensors = dict[str, tf.Tensor]  # by name


class Rows(NamedTuple):
    """R sequences of B inputs; an input may have several, or none.

    Attributes:
        ids: int32 [R, (T)], not padded.
        segment_ids: int32 [R, (T)].
        owner: which input each row belongs to, int32 [R]; it never falls.
        places: what is needed to come back from the model's outputs to answers.
    """

    ids: tf.RaggedTensor
    segment_ids: tf.RaggedTensor
    owner: tf.Tensor
    places: dict[str, tf.Tensor | tf.RaggedTensor]
