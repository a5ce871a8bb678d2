"""Rounds become shards: each record once, evenly, in random order."""

import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrecord_tools.bucketed import shards
from tfrecord_tools.bucketed.ranges import starts_of
from tfrecord_tools.bucketed.shards import Share, interleaved, merge, share_bounds

COUNTS = st.lists(st.integers(0, 20), min_size=1, max_size=6)


@given(COUNTS, st.integers(1, 7))
def test_every_record_goes_to_one_shard_and_shards_differ_by_one(counts, num_shards):
    num_records = np.array(counts)
    num_before = np.cumsum(num_records) - num_records
    bounds = np.stack(
        [
            np.stack(share_bounds(num_before, num_records, shard, num_shards), axis=1)
            for shard in range(num_shards)
        ]
    )
    assert (bounds[0, :, 0] == 0).all()
    assert (bounds[-1, :, 1] == num_records).all()
    np.testing.assert_array_equal(bounds[1:, :, 0], bounds[:-1, :, 1])
    totals = (bounds[..., 1] - bounds[..., 0]).sum(axis=1)
    assert totals.max() - totals.min() <= 1


def shares(tmp_path, counts):
    made = []
    for number_of_round, count in enumerate(counts):
        records = [f"{number_of_round}.{number};".encode() for number in range(count)]
        (tmp_path / str(number_of_round)).write_bytes(b"".join(records))
        starts = starts_of(np.fromiter(map(len, records), np.int64, count))
        made.append(Share(str(tmp_path / str(number_of_round)), starts))
    return made


def merged(tmp_path, made):
    path = tmp_path / "shard"
    merge(made, str(path), np.random.default_rng(0))
    return path.read_text().split(";")[:-1]


@pytest.mark.parametrize("read_buffer_size", [1, 1 << 20])
def test_a_shard_holds_its_shares_whatever_is_read_at_a_time(
    tmp_path, monkeypatch, read_buffer_size
):
    monkeypatch.setattr(shards, "SMALLEST_READ", 1)
    made = shares(tmp_path, [50, 0, 7, 300])
    expected = merged(tmp_path, made)
    monkeypatch.setattr(shards, "READ_BUFFER_SIZE", read_buffer_size)
    assert merged(tmp_path, made) == expected
    assert len(set(expected)) == 357


def test_a_share_may_lie_anywhere_in_its_round(tmp_path):
    whole = shares(tmp_path, [10])[0]
    assert sorted(merged(tmp_path, [Share(whole.path, whole.starts[4:8])])) == ["0.4", "0.5", "0.6"]


def test_all_interleavings_are_equally_likely():
    rng = np.random.default_rng(0)
    seen = collections.Counter(
        b"".join(interleaved([[b"a"], [b"b", b"c"]], [1, 2], rng)) for _ in range(3000)
    )
    assert set(seen) == {b"abc", b"bac", b"bca"}  # the order within a round is random already
    for count in seen.values():
        assert count == pytest.approx(1000, abs=3 * (3000 * 2 / 9) ** 0.5)
