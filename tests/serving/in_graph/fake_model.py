"""A model that any engine computes to the same bits: numbers made of ids, positions and length.

There are few different ones, so that many are equal, and sums of two that float64 tells apart, but
float32 does not. Those of padding are greater than all.
"""

import numpy as np
import tensorflow as tf

from bert_keras.serving.in_graph.rows import Rows

PADDING = 99.0
STEP = np.float32(0.1)


def in_python(rows_of_ids, column: int) -> list[np.ndarray]:
    """A number for each token of each row."""
    numbers = (_number(ids, np.arange(len(ids)), len(ids), column) for ids in rows_of_ids)
    return [STEP * number.astype(np.float32) for number in numbers]


def in_graph(rows: Rows, column: int) -> tf.Tensor:
    """The same [R, T + 2]; the last two are padding in all rows."""
    ids = tf.pad(rows.ids.to_tensor(), [[0, 0], [0, 2]])
    positions, lengths = tf.range(tf.shape(ids)[1]), tf.cast(rows.ids.row_lengths(), tf.int32)
    number = tf.cast(_number(ids, positions, lengths[:, tf.newaxis], column), tf.float32)
    is_token = tf.sequence_mask(lengths, tf.shape(ids)[1])
    return tf.where(is_token, STEP * number, PADDING)


def _number(ids, positions, length, column):
    number = (ids * 797 + positions * 10473 + length * 97 + column * 3011) % 11 * 3 % 7
    return number + 3 // (positions + 1) * (length % 2)  # of [CLS] often the greatest
