"""The search for the best spans, against one that looks at every pair in the original's order."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.tasks.squad.packing import PlacedWindow
from bert_keras.tasks.squad.spans import ranked_spans
from bert_keras.tasks.windows import windows

OFFSET = 3
LOGITS = st.integers(-3, 3)  # few values, so that many spans are equally good


def every_pair(placed, start_logits, end_logits, n_best_size, max_answer_length):
    found = []
    for (_, window, offset), starts, ends in zip(placed, start_logits, end_logits, strict=True):
        for start in best(starts, n_best_size):
            for end in best(ends, n_best_size):
                in_context = all(0 <= place - offset < window.length for place in (start, end))
                if not in_context or not start <= end < start + max_answer_length:
                    continue
                if window.has_max_context[start - offset]:
                    shift = window.start - offset
                    found.append((start + shift, end + shift, starts[start], ends[end]))
    return sorted(found, key=lambda span: span[2] + span[3], reverse=True)


def best(logits, count):
    return sorted(range(len(logits)), key=lambda place: logits[place], reverse=True)[:count]


@settings(max_examples=40)
@given(data=st.data(), num_pieces=st.integers(0, 20), n_best=st.integers(1, 8))
def test_spans_and_their_order_are_those_of_the_original(data, num_pieces, n_best):
    room, stride = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 6))
    max_answer_length, num_padding = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 3))
    placed = [PlacedWindow(0, window, OFFSET) for window in windows(num_pieces, room, stride)]
    start_logits, end_logits = (
        [data.draw(row(OFFSET + p.window.length + 1 + num_padding)) for p in placed]
        for _ in range(2)
    )
    arguments = (placed, start_logits, end_logits, n_best, max_answer_length)
    assert ranked_spans(*arguments) == every_pair(*arguments)


def row(length):
    values = st.lists(LOGITS, min_size=length, max_size=length)
    return values.map(lambda logits: np.array(logits, np.float32))


def test_no_window_has_no_span():
    assert ranked_spans([], [], [], 20, 30) == []
