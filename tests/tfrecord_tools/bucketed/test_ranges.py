"""Ranges are those of Python, one after another."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfrecord_tools.bucketed.ranges import ranges, starts_of


@given(st.lists(st.integers(0, 9)))
def test_things_begin_where_those_before_them_end(lengths):
    starts = starts_of(np.array(lengths, np.int64))
    assert starts.tolist() == list(itertools.accumulate(lengths, initial=0))


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9))))
def test_ranges_are_those_of_python(pairs):
    starts, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    expected = [number for start, length in pairs for number in range(start, start + length)]
    assert ranges(starts, lengths).tolist() == expected
