"""Overlapping windows over texts that are too long for the model: `tasks.windows` in a graph.

The windows of all texts of a batch at once.
"""

from typing import NamedTuple

import tensorflow as tf


class Windows(NamedTuple):
    """N windows over the pieces of B texts, those of a text together.

    Attributes:
        owner: the text of each, int32 [N].
        start: the first piece of each, counted in its text, int32 [N].
        length: how many pieces, int32 [N].
        has_max_context: whether no other window shows more text around a piece, bool [N, (length)].
    """

    owner: tf.Tensor
    start: tf.Tensor
    length: tf.Tensor
    has_max_context: tf.RaggedTensor


def windows(
    num_pieces: tf.Tensor, room: tf.Tensor, doc_stride: tf.Tensor, at_least: int = 0
) -> Windows:
    """The windows of texts; see `tasks.windows.windows`.

    Args:
        num_pieces: of each text, int32 [B].
        room: most pieces of a window, at least 1, int32 [B] or [].
        doc_stride: at least 1, int32 [B] or [].
        at_least: the number of windows of a text without pieces, 0 or an empty one.
    """
    num_texts = tf.size(num_pieces)
    room, doc_stride = (tf.broadcast_to(value, [num_texts]) for value in (room, doc_stride))
    step = tf.minimum(room, doc_stride)
    num_steps = (num_pieces - room + step + step - 1) // step
    num_windows = tf.maximum(num_steps, tf.where(num_pieces > 0, 1, at_least))
    owner = tf.repeat(tf.range(num_texts), num_windows)  # [N]
    start = tf.ragged.range(num_windows).flat_values * tf.gather(step, owner)
    length = tf.minimum(tf.gather(room, owner), tf.gather(num_pieces, owner) - start)
    has_max_context = _has_max_context(owner, start, length, num_pieces)
    return Windows(owner, start, length, has_max_context)


def pieces_of(found: Windows, pieces: tf.RaggedTensor) -> tf.RaggedTensor:
    """What each window shows of the pieces of texts [B, (P), ...]: [N, (length), ...]."""
    first = tf.gather(tf.cast(pieces.row_starts(), tf.int32), found.owner) + found.start
    return tf.gather(pieces.values, tf.ragged.range(first, first + found.length))


def _has_max_context(
    owner: tf.Tensor, start: tf.Tensor, length: tf.Tensor, num_pieces: tf.Tensor
) -> tf.RaggedTensor:
    """Whether each window has most text around each of its pieces; of equals the first has."""
    places = tf.ragged.range(length)  # [N, (length)]
    window = tf.cast(places.value_rowids(), tf.int32)  # [M]
    num_left = places.flat_values
    length_of = tf.gather(length, window)
    # In float64, the sums of Python to the last bit.
    scores = tf.cast(tf.minimum(num_left, length_of - 1 - num_left), tf.float64)
    scores += 0.01 * tf.cast(length_of, tf.float64)
    text_starts = tf.cumsum(num_pieces, exclusive=True)
    piece = tf.gather(tf.gather(text_starts, owner) + start, window) + num_left  # in all texts
    num_all = tf.reduce_sum(num_pieces)
    best = tf.math.unsorted_segment_max(scores, piece, num_all)
    is_best = scores == tf.gather(best, piece)
    candidates = tf.where(is_best, window, tf.int32.max)
    first = tf.math.unsorted_segment_min(candidates, piece, num_all)
    return places.with_values(window == tf.gather(first, piece))
