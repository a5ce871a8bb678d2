"""A sample of a stream in bounded memory, in which equal things stay together.

Whether a row is kept depends on its key alone: of texts that occur often either every copy is in
the sample or none (distinct sampling; Gibbons 2001, "Distinct sampling for highly-accurate answers
to distinct values queries"). A sample drawn row by row would tear most pairs apart.
"""

import numpy as np

LARGEST = np.uint64(2**64 - 1)


class KeySample:
    """Keeps the rows whose key is at most a limit; the limit is halved when they get too many."""

    def __init__(self, capacity: int):
        self._capacity = capacity
        self._limit = LARGEST
        self._blocks: list[tuple[np.ndarray, ...]] = []
        self._num_rows = 0

    @property
    def share(self) -> float:
        """The share of all keys that is looked at: 1, 1/2, 1/4, ..."""
        return (float(self._limit) + 1) / 2.0**64

    def admits(self, keys: np.ndarray) -> np.ndarray:
        """uint64 [B] -> bool [B]."""
        return keys <= self._limit

    def add(self, keys: np.ndarray, *columns: np.ndarray) -> None:
        """Adds rows, all of which `admits` lets in: uint64 [B], and arrays of B rows."""
        self._blocks.append((keys, *columns))
        self._num_rows += len(keys)
        while self._num_rows > self._capacity and self._limit:
            self._limit >>= np.uint64(1)
            rows = self.columns()
            is_kept = self.admits(rows[0])
            self._blocks = [tuple(column[is_kept] for column in rows)]
            self._num_rows = int(np.count_nonzero(is_kept))

    def columns(self) -> tuple[np.ndarray, ...]:
        """The keys and columns of the sample; empty if nothing was added."""
        return tuple(np.concatenate(column) for column in zip(*self._blocks, strict=True))
