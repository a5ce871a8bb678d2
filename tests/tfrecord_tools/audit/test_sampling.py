"""The sample of a stream: bounded, fair, and copies stay together."""

import numpy as np

from tfrecord_tools.audit.sampling import KeySample

CAPACITY = 1000


def sampled(keys):
    sample = KeySample(CAPACITY)
    for begin in range(0, len(keys), 100):
        block = keys[begin : begin + 100]
        rows = np.arange(begin, begin + len(block))
        is_kept = sample.admits(block)
        sample.add(block[is_kept], rows[is_kept])
    return sample


def test_a_small_stream_is_kept_whole():
    keys = np.random.default_rng(1).integers(0, 2**64, CAPACITY, np.uint64)
    sample = sampled(keys)
    assert sample.share == 1
    kept, rows = sample.columns()
    assert (kept == keys).all()
    assert (rows == np.arange(CAPACITY)).all()


def test_of_a_large_stream_a_share_is_kept_with_all_copies():
    rng = np.random.default_rng(2)
    keys = rng.permutation(np.repeat(rng.integers(0, 2**64, 20_000, np.uint64), 3))
    sample = sampled(keys)
    kept, rows = sample.columns()
    assert CAPACITY / 3 < len(kept) <= CAPACITY
    assert sample.share in (1 / 64, 1 / 128)
    assert (np.unique(kept, return_counts=True)[1] == 3).all()
    assert (keys[rows] == kept).all()
    error = np.sqrt(20_000 * sample.share)
    assert abs(len(kept) / 3 - 20_000 * sample.share) < 4 * error


def test_one_text_alone_does_not_fill_the_memory():
    assert len(sampled(np.full(5000, 2**63, np.uint64)).columns()[0]) == 0
