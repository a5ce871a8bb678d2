"""Ranges of numbers, many at a time."""

import numpy as np


def starts_of(lengths: np.ndarray) -> np.ndarray:
    """Where things of these lengths, one after another, begin and at last end: [K] -> [K + 1]."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """starts[0], starts[0] + 1, ... for lengths[0] numbers, then those of starts[1], and so on."""
    begins = starts_of(lengths)
    return np.arange(begins[-1]) + np.repeat(starts - begins[:-1], lengths)
