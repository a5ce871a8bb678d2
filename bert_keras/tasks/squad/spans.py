"""The spans that a model's logits favor, best first.

The search of `write_predictions` of `run_squad.py` of google-research/bert, with its order of
equals: first window first, then the better start, then the better end.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.tasks.squad.packing import PlacedWindow


class Span(NamedTuple):
    """Pieces `first` to `last` of a context, and the logits of their positions."""

    first: int
    last: int
    start_logit: float
    end_logit: float


def ranked_spans(
    windows: Sequence[PlacedWindow],
    start_logits: Sequence[np.ndarray],
    end_logits: Sequence[np.ndarray],
    n_best_size: int,
    max_answer_length: int,
) -> list[Span]:
    """The possible answers of one question, best first.

    An answer starts at one of the `n_best_size` best starts of a window, and ends at one of its
    best ends; both lie in the context, and no other window shows more text around the start.

    Args:
        windows: W windows, in order.
        start_logits: W arrays, [T] or longer. Positions behind the window (padding) take part in
            the choice of the best, as in the original, and lead to no answer.
        end_logits: W arrays as long.
        n_best_size: how many starts and ends of a window are looked at.
        max_answer_length: most pieces of an answer.
    """
    parts = [
        _spans_of_window(*window, n_best_size, max_answer_length)
        for window in zip(windows, start_logits, end_logits, strict=True)
    ]
    if not parts:
        return []
    firsts, lasts, starts, ends = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(-(starts + ends), kind="stable")
    columns = (column[order].tolist() for column in (firsts, lasts, starts, ends))
    return [*map(Span, *columns)]


def _spans_of_window(
    placed: PlacedWindow,
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    n_best_size: int,
    max_answer_length: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """First and last pieces, start and end logits (float64), [K] each."""
    window, offset = placed.window, placed.offset
    starts = _best_places(start_logits, n_best_size) - offset
    ends = _best_places(end_logits, n_best_size) - offset
    starts = starts[(starts >= 0) & (starts < window.length)]
    starts = starts[window.has_max_context[starts]]
    ends = ends[(ends >= 0) & (ends < window.length)]
    distances = ends - starts[:, np.newaxis]  # [starts, ends]
    rows, columns = np.nonzero((distances >= 0) & (distances < max_answer_length))
    starts, ends = starts[rows], ends[columns]
    return (
        starts + window.start,
        ends + window.start,
        start_logits[starts + offset].astype(np.float64),
        end_logits[ends + offset].astype(np.float64),
    )


def _best_places(logits: np.ndarray, count: int) -> np.ndarray:
    """The places of the largest logits, best first; of equals the first: `_get_best_indexes`."""
    return np.argsort(-logits, kind="stable")[:count]
