"""Pieces of shuffled records -> shards, each a shuffle of its share of all pieces.

Record number i of all pieces, one after another, goes to shard i mod S; so shards differ by one
record at most. The records of a piece are in random order already: a piece gives a shard any range
of them, and taking the next record of a random piece, weighted by what is left of each, is a
uniform shuffle of all.

Letters of shapes: P pieces, S shards.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

READ_BUFFER_SIZE = 16 << 20  # bytes, of all pieces together
SMALLEST_READ = 1 << 12


class Share(NamedTuple):
    """What a piece gives to a shard."""

    path: str
    starts: np.ndarray  # int64 [number of records + 1]: where each begins, and the last ends


def share_bounds(num_records: np.ndarray, shard: int, num_shards: int) -> np.ndarray:
    """The records of each piece that belong to a shard, as a range: [P] -> [P, start or end]."""
    last = np.cumsum(num_records)  # number after each piece's last
    first = last - num_records
    return np.stack(
        [
            _num_below(first + num_records, bound, num_shards)
            - _num_below(first, bound, num_shards)
            for bound in (shard, shard + 1)
        ],
        axis=1,
    )


def merge(shares: list[Share], output_path: str, rng: np.random.Generator) -> None:
    """Writes the records of all shares in random order."""
    counts = [len(share.starts) - 1 for share in shares]
    size = max(SMALLEST_READ, READ_BUFFER_SIZE // max(1, len(shares)))
    with open(output_path, "wb") as file:
        file.writelines(interleaved([_frames(share, size) for share in shares], counts, rng))


def interleaved(
    pieces: Sequence[Iterable[bytes]], counts: list[int], rng: np.random.Generator
) -> Iterator[bytes]:
    """Yields the records of all pieces in random order, keeping the order within a piece.

    Args:
      pieces: the records of each piece, [P].
      counts: how many there are of each, [P].
      rng: chooses the order.
    """
    order = rng.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
    records = list(map(iter, pieces))
    for piece in order.tolist():
        yield next(records[piece])


def _num_below(end: np.ndarray, bound: int, num_shards: int) -> np.ndarray:
    """How many of the numbers 0..end have a remainder by `num_shards` that is below `bound`."""
    return end // num_shards * bound + np.minimum(end % num_shards, bound)


def _frames(share: Share, read_size: int) -> Iterator[bytes]:
    """Yields the bytes of one record after another; the file is open only while it is read."""
    starts = share.starts
    first = 0
    while first < len(starts) - 1:
        end = np.searchsorted(starts, starts[first] + read_size, side="right") - 1
        end = max(end, first + 1)
        with open(share.path, "rb") as file:
            file.seek(starts[first])
            block = file.read(starts[end] - starts[first])
        bounds = (starts[first : end + 1] - starts[first]).tolist()
        for start, stop in zip(bounds, bounds[1:], strict=False):
            yield block[start:stop]
        first = end
