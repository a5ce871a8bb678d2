import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.models.bert import token_inputs
from bert_keras.serving.in_graph.length_groups import run_in_groups
from bert_keras.serving.in_graph.rows import Rows


def rows(lengths, **places):
    ids = tf.ragged.range(1, 1 + tf.constant(lengths, tf.int64))
    ids = tf.cast(ids, tf.int32)
    segment_ids = tf.ones_like(ids)
    return Rows(ids, segment_ids, tf.range(ids.nrows(tf.int32)), places)


def sums(inputs):
    """A model whose outputs show its inputs: [R, T] and [R]."""
    summed = inputs["input_ids"] * 100 + inputs["input_mask"] * 10 + inputs["segment_ids"]
    return {"tokens": summed, "total": keras.ops.sum(summed, axis=-1)}


@pytest.fixture(scope="module")
def model():
    inputs = token_inputs()
    return keras.Model(inputs, sums(inputs))


@pytest.fixture(scope="module")
def traced(model):
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    signature = [Rows(ragged, ragged, tf.TensorSpec([None], tf.int32), {})]
    return tf.function(lambda rows: run_in_groups(model, rows), input_signature=signature)


@pytest.mark.parametrize("num_rows", [1, 32, 33, 70])
@pytest.mark.parametrize("step", [1, 9])
def test_outputs_are_in_the_order_of_the_rows_and_filled_up(traced, num_rows, step):
    lengths = step * (np.arange(num_rows) % 7)
    outputs = traced(rows(lengths))
    places = np.arange(max(1, lengths.max()))
    expected = np.where(places < lengths[:, None], 100 * (places + 1) + 11, 0)
    # Behind a row's own positions there may be anything.
    found = np.where(places < lengths[:, None], outputs["tokens"], 0)
    assert outputs["tokens"].shape == expected.shape
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(outputs["total"], expected.sum(axis=-1))


def test_no_rows_have_no_outputs(traced):
    outputs = traced(rows([]))
    assert outputs["total"].shape == (0,) and outputs["tokens"].shape == (0, 1)


def shapes_seen(model, lengths):
    """The shapes of the ids that the model gets, call by call."""
    seen = []

    def call(inputs):
        tf.py_function(lambda ids: seen.append(tuple(ids.shape)), [inputs["input_ids"]], [])
        return {"ids": inputs["input_ids"]}

    outputs = run_in_groups(model, rows(lengths), call)
    assert outputs["ids"].shape == (len(lengths), max(lengths))
    return seen


@pytest.mark.parametrize(
    ("lengths", "shapes"),
    [
        ([3] * 70, [(32, 3), (32, 3), (6, 3)]),
        ([5, 200, 5, 190], [(2, 200), (2, 5)]),  # one call would fill up 400 positions
        ([5, 37, 5], [(3, 37)]),  # 64 positions cost less than another call
        ([5, 38, 5], [(2, 38), (1, 5)]),
    ],
)
def test_the_model_sees_rows_of_about_one_length_together(model, lengths, shapes):
    assert shapes_seen(model, lengths) == shapes


def test_a_model_of_choices_sees_each_row_as_the_only_choice():
    inputs = token_inputs((None, None))
    model = keras.Model(inputs, {"shape": keras.ops.sum(inputs["input_ids"], axis=-1)})
    assert run_in_groups(model, rows([2, 3]))["shape"].numpy().tolist() == [[3], [6]]


def test_a_model_gets_what_else_it_takes_from_the_places():
    places = keras.Input((None,), dtype="int32", name="masked_lm_positions")
    model = keras.Model(token_inputs() | {"masked_lm_positions": places}, {"places": places * 2})
    outputs = run_in_groups(model, rows([1] * 40, masked_lm_positions=tf.range(40)[:, None]))
    assert outputs["places"].numpy().tolist() == [[2 * index] for index in range(40)]
