"""Windows in a graph are those of Python."""

import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.windows import pieces_of, windows
from bert_keras.tasks import windows as plain

INT32 = tf.TensorSpec([None], tf.int32)
in_graph = tf.function(windows, input_signature=[INT32, INT32, tf.TensorSpec([], tf.int32)])

texts = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 60)), max_size=5)


@given(texts=texts, doc_stride=st.integers(1, 80))
def test_windows_of_many_texts_are_those_of_python(texts, doc_stride):
    num_pieces, room = ([text[column] for text in texts] for column in (0, 1))
    found = in_graph(tf.constant(num_pieces, tf.int32), tf.constant(room, tf.int32), doc_stride)
    columns = [column.numpy().tolist() for column in found[:3]]
    assert [*zip(*columns, found.has_max_context.to_list(), strict=True)] == [
        (index, window.start, window.length, window.has_max_context.tolist())
        for index, text in enumerate(texts)
        for window in plain.windows(*text, doc_stride)
    ]


def test_windows_of_usual_sizes_are_those_of_python():
    # The last is up to 100 pieces shorter, which weighs as much as one piece more beside a piece.
    for num_pieces in range(150, 420):
        (owner, _, _, has_max_context) = in_graph([num_pieces], [150], 100)
        expected = plain.windows(num_pieces, 150, 100)
        assert len(owner) == len(expected)
        assert has_max_context.to_list() == [w.has_max_context.tolist() for w in expected]


def test_a_text_without_pieces_has_a_window_if_it_needs_one():
    found = windows(tf.constant([0, 3, 0]), 2, 1, at_least=1)
    assert found.owner.numpy().tolist() == [0, 1, 1, 2]
    assert found.start.numpy().tolist() == [0, 0, 1, 0]
    assert found.length.numpy().tolist() == [0, 2, 2, 0]


def test_a_window_shows_the_pieces_of_its_text():
    pieces = tf.ragged.constant([[7, 8, 9], [], [4]], dtype=tf.int32)
    found = windows(tf.constant([3, 0, 1]), 2, 1)
    assert pieces_of(found, pieces).to_list() == [[7, 8], [8, 9], [4]]
