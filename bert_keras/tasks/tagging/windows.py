"""Sentences longer than the model takes, in windows that overlap.

As run_squad.py of google-research/bert cuts documents, but between words. A word is decided in the
window where it has most context on its poorer side (`_check_is_max_context` there).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np


class Window(NamedTuple):
    """Words `first` to `end - 1` of a sentence, and those among them that are decided here."""

    first: int
    end: int
    decided: np.ndarray  # int64 [D], ascending


def windows(num_pieces: Sequence[int], room: int) -> list[Window]:
    """Parts a sentence; each of its words is decided in one window.

    Args:
        num_pieces: how many pieces each word has, 1 to `room` of them.
        room: most pieces of a window.
    """
    ends = np.cumsum(num_pieces)  # of each word, in pieces
    starts = ends - num_pieces
    spans = list(_spans(starts, ends, room))
    best_contexts, best_windows = np.full(len(starts), -1.0), np.zeros(len(starts), np.int64)
    for index, (first, end) in enumerate(spans):
        words = slice(first, end)
        left, right = starts[words] - starts[first], ends[end - 1] - 1 - starts[words]
        # Of two with as much context the longer window is better, as there.
        contexts = np.minimum(left, right) + 0.01 * (ends[end - 1] - starts[first])
        best_windows[words][contexts > best_contexts[words]] = index
        np.maximum(best_contexts[words], contexts, out=best_contexts[words])
    return [
        Window(first, end, first + np.flatnonzero(best_windows[first:end] == index))
        for index, (first, end) in enumerate(spans)
    ]


def _spans(starts: np.ndarray, ends: np.ndarray, room: int) -> Iterator[tuple[int, int]]:
    """Yields the first word of each window and the one after its last.

    A window begins half a window after the one before it, and has words that this one has not.
    """
    first, last_end = 0, 0
    while last_end < len(ends):
        end = int(np.searchsorted(ends, starts[first] + room, side="right"))
        if end > last_end:
            yield first, end
            last_end = end
        middle = int(np.searchsorted(starts, starts[first] + room // 2))
        first = min(max(middle, first + 1), last_end)
