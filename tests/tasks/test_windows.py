"""Windows over a text, against the loops of the original."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.windows import windows
from experiments.plain_answer_features import is_max_context, window_spans

NUMBERS = {"num_pieces": st.integers(0, 200), "room": st.integers(1, 60)}


@given(**NUMBERS, doc_stride=st.integers(1, 80))
def test_windows_are_those_of_the_original(num_pieces, room, doc_stride):
    found = windows(num_pieces, room, doc_stride)
    spans = window_spans(num_pieces, room, doc_stride)
    assert [(window.start, window.length) for window in found] == spans
    for index, (start, length, has_max_context) in enumerate(found):
        places = range(start, start + length)
        assert has_max_context.tolist() == [is_max_context(spans, index, p) for p in places]


@given(**NUMBERS, doc_stride=st.integers(1, 1000))
def test_each_piece_has_one_window_of_max_context(num_pieces, room, doc_stride):
    count = np.zeros(num_pieces, int)
    for start, length, has_max_context in windows(num_pieces, room, doc_stride):
        assert 1 <= length <= room
        count[start : start + length] += has_max_context
    assert (count == 1).all()
