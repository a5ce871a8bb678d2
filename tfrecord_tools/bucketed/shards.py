"""Rounds of shuffled records -> shards, each a shuffle of its share of all rounds.

Record number i of all rounds, one after another, goes to shard i mod S; so shards differ by one
record at most. The records of a round are in random order already: a round gives a shard any range
of them, and taking the next record of a random round, weighted by what is left of each, is a
uniform shuffle of all.

Letters of shapes: P rounds, S shards.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

READ_BUFFER_SIZE = 16 << 20  # bytes, of all rounds together
SMALLEST_READ = 1 << 12
NUM_ORDERED_AT_A_TIME = 1 << 16  # a list takes nine times the room of an array


class Share(NamedTuple):
    """What a round gives to a shard."""

    path: str
    starts: np.ndarray  # int64 [number of records + 1]: where each begins, and the last ends


def share_bounds(num_before, num_records, shard: int, num_shards: int) -> tuple:
    """Which records of a round belong to a shard, as a range; of many rounds at a time, too.

    Args:
      num_before: number of the records of all rounds before, an integer or int64 [P].
      num_records: number of its records, an integer or int64 [P].

    Returns:
      The first of them and the one after the last, each as `num_before`.
    """
    end = num_before + num_records
    first_of_shard, end_of_shard = (
        _num_below(end, bound, num_shards) - _num_below(num_before, bound, num_shards)
        for bound in (shard, shard + 1)
    )
    return first_of_shard, end_of_shard


def merge(shares: list[Share], output_path: str, rng: np.random.Generator) -> None:
    """Writes the records of all shares in random order."""
    counts = [len(share.starts) - 1 for share in shares]
    size = max(SMALLEST_READ, READ_BUFFER_SIZE // max(1, len(shares)))
    with open(output_path, "wb") as file:
        file.writelines(interleaved([_frames(share, size) for share in shares], counts, rng))


def interleaved(
    rounds: Sequence[Iterable[bytes]], counts: list[int], rng: np.random.Generator
) -> Iterator[bytes]:
    """Yields the records of all rounds in random order, keeping the order within a round.

    Args:
      rounds: the records of each round, [P].
      counts: how many there are of each, [P].
      rng: chooses the order.
    """
    order = rng.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
    records = list(map(iter, rounds))
    for first in range(0, len(order), NUM_ORDERED_AT_A_TIME):
        for number in order[first : first + NUM_ORDERED_AT_A_TIME].tolist():
            yield next(records[number])


def _num_below(end, bound: int, num_shards: int):
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
