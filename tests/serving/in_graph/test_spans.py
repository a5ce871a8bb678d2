"""Spans in a graph are those of Python."""

import numpy as np
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.rows import Rows
from bert_keras.serving.in_graph.spans import best_spans, null_scores
from bert_keras.serving.in_graph.windows import windows
from bert_keras.tasks.squad.packing import PlacedWindow
from bert_keras.tasks.squad.spans import ranked_spans
from bert_keras.tasks.windows import windows as plain_windows

ROOM, STRIDE = 6, 4


def rows_of(num_pieces, offsets) -> Rows:
    """The windows of contexts, each behind so many other tokens; the ids are all 0."""
    found = windows(tf.constant(num_pieces, tf.int32), ROOM, STRIDE)
    offset = tf.gather(tf.constant(offsets, tf.int32), found.owner)
    ids = tf.zeros_like(tf.ragged.range(offset + found.length + 1))
    places = {**found._asdict(), "offset": offset}
    return Rows(ids, tf.zeros_like(ids), found.owner, places)


@given(
    questions=st.lists(st.tuples(st.integers(0, 20), st.integers(2, 5)), max_size=3),
    n_best_size=st.integers(1, 9),
    max_answer_length=st.integers(1, 7),
    seed=st.integers(0, 99),
)
def test_the_spans_of_each_question_are_those_of_python(
    questions, n_best_size, max_answer_length, seed
):
    num_pieces, offsets = ([question[column] for question in questions] for column in (0, 1))
    rows = rows_of(num_pieces, offsets)
    shape = [len(rows.owner), 14]  # some positions are padding
    logits = np.random.default_rng(seed).integers(0, 4, [2, *shape]).astype(np.float32)
    outputs = dict(zip(("start_logits", "end_logits"), map(tf.constant, logits), strict=True))
    found = best_spans(rows, outputs, n_best_size, max_answer_length)

    nulls = null_scores(rows, outputs, tf.constant(len(questions)))
    row = 0
    for index, (number, offset) in enumerate(questions):
        placed = [PlacedWindow(index, one, offset) for one in plain_windows(number, ROOM, STRIDE)]
        own = range(row, row + len(placed))
        row += len(placed)
        lengths = [offset + one.window.length + 1 for one in placed]
        starts, ends = (
            [of_all[place, :length] for place, length in zip(own, lengths, strict=True)]
            for of_all in logits
        )
        expected = ranked_spans(placed, starts, ends, n_best_size, max_answer_length)
        assert ranked(found, index) == [*map(tuple, expected)]
        least = min((start[0] + end[0] for start, end in zip(starts, ends, strict=True)), default=0)
        assert nulls[index] == least


def ranked(found, question):
    """The spans of a question, best first."""
    is_own = found.question == question
    columns = [tf.boolean_mask(column, is_own).numpy() for column in found[1:]]
    order = np.argsort(-(columns[2] + columns[3]), kind="stable")
    return [*zip(*(column[order].tolist() for column in columns), strict=True)]
