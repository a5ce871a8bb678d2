"""The fast shuffle against `random`'s own."""

import random

import pytest

from tfrecord_tools.single_stream.shuffling import shuffle


@pytest.mark.parametrize("length", [*range(70), 127, 128, 129, 511, 512, 513, 5000])
def test_draws_and_order_are_those_of_random(length):
    for seed in range(3):
        ours, theirs = list(range(length)), list(range(length))
        rng, reference = random.Random(seed), random.Random(seed)
        shuffle(ours, rng)
        reference.shuffle(theirs)
        assert ours == theirs
        assert rng.getstate() == reference.getstate()
