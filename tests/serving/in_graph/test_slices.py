"""Parts of texts in a graph are slices of Python."""

import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.slices import code_points, grouped, text_slices
from tests.serving.in_graph.texts import decoded, texts


@given(batch=st.lists(texts, min_size=1, max_size=4), data=st.data())
def test_slices_are_those_of_the_decoded_text(batch, data):
    found, expected = [], []
    for owner, text in enumerate(map(decoded, batch)):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        found.append((owner, start, end))
        expected.append(text[start:end].encode())
    columns = tf.unstack(tf.constant(found), axis=1)
    assert text_slices(code_points(tf.constant(batch)), *columns).numpy().tolist() == expected


def test_values_are_grouped_by_their_owners():
    values = grouped(tf.constant(["a", "b", "c"]), tf.constant([0, 2, 2]), tf.constant(4))
    assert values.to_list() == [[b"a"], [], [b"b", b"c"], []]
