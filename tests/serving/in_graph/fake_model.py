"""A model that any engine computes to the same bits: numbers made of ids and positions.

There are few different ones, so that many are equal, and those of padding are greater than all.
"""

import numpy as np
import tensorflow as tf

from bert_keras.serving.in_graph.rows import Rows

PADDING = 99.0


def in_python(rows_of_ids, column: int) -> list[np.ndarray]:
    """A number for each token of each row."""
    return [_number(ids, np.arange(len(ids)), column).astype(np.float32) for ids in rows_of_ids]


def in_graph(rows: Rows, column: int) -> tf.Tensor:
    """The same [R, T + 2]; the last two are padding in all rows."""
    ids = tf.pad(rows.ids.to_tensor(), [[0, 0], [0, 2]])
    number = tf.cast(_number(ids, tf.range(tf.shape(ids)[1]), column), tf.float32)
    is_token = tf.sequence_mask(rows.ids.row_lengths(), tf.shape(ids)[1])
    return tf.where(is_token, number, PADDING)


def _number(ids, positions, column):
    return (ids * 797 + positions * 10473 + column * 3011) % 11 * 3 % 7
