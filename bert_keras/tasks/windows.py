"""Overlapping windows over a text that is longer than the model's input."""

import functools
from typing import NamedTuple

import numpy as np


class Window(NamedTuple):
    """Some pieces of a context.

    Attributes:
        start: the first of them.
        length: how many.
        has_max_context: whether no other window shows more text around a piece, bool [length]. Its
            answers are taken from such a window alone.
    """

    start: int
    length: int
    has_max_context: np.ndarray


@functools.lru_cache(maxsize=1 << 12)
def windows(num_pieces: int, room: int, doc_stride: int) -> tuple[Window, ...]:
    """The windows of a context; none if it has no piece.

    Those of `convert_examples_to_features` of the original: each starts `doc_stride` pieces after
    the one before it, or where that ends, and the last ends with the context.

    Args:
        num_pieces: of the context.
        room: most pieces of a window, at least 1.
        doc_stride: at least 1.
    """
    step = min(room, doc_stride)
    starts = range(0, max(num_pieces - room + step, min(num_pieces, 1)), step)
    spans = [(start, min(room, num_pieces - start)) for start in starts]
    owners = _windows_of_max_context(spans, num_pieces)
    return tuple(
        Window(start, length, owners[start : start + length] == index)
        for index, (start, length) in enumerate(spans)
    )


def _windows_of_max_context(spans: list[tuple[int, int]], num_pieces: int) -> np.ndarray:
    """Which window shows most text around each piece, int64 [num_pieces].

    `_check_is_max_context` of the original: the smaller of the numbers of pieces to the left and
    to the right, plus 0.01 for each piece of the window; of equals the first.
    """
    best_scores = np.full(num_pieces, -np.inf)
    owners = np.zeros(num_pieces, np.int64)
    for index, (start, length) in enumerate(spans):
        num_left = np.arange(length)
        scores = np.minimum(num_left, num_left[::-1]) + 0.01 * length
        own_scores, own = best_scores[start : start + length], owners[start : start + length]
        is_better = scores > own_scores
        own_scores[is_better], own[is_better] = scores[is_better], index
    return owners
