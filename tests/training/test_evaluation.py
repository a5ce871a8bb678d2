"""Evaluation adds sums and counts: no mean of means."""

import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.objectives.mean import Mean
from bert_keras.training.evaluation import evaluate, result_lines


def step(numbers):
    total = tf.reduce_sum(tf.constant(numbers, tf.float32))
    return {"masked_lm_loss": Mean(total, tf.constant(float(len(numbers))))}


def test_every_batch_size_gives_the_same_mean():
    for batches in ([[1, 2, 3, 6]], [[1, 2, 3], [6]], [[1], [2], [3], [6]]):
        results = evaluate(step, batches, ["masked_lm_loss"])
        assert results == {"loss": 3.0, "masked_lm_loss": 3.0}


def test_stops_after_the_steps_asked():
    assert evaluate(step, [[1], [2], [9]], ["masked_lm_loss"], max_steps=2)["loss"] == 1.5


def test_no_masked_position_at_all_has_loss_zero():
    def empty(_):
        return {"masked_lm_loss": Mean(tf.constant(0.0), tf.constant(0.0))}

    assert evaluate(empty, [None], ["masked_lm_loss"])["loss"] == 0.0


def test_a_result_that_is_no_number_is_an_error():
    with pytest.raises(InputError, match="masked_lm_loss is nan"):
        evaluate(step, [[1], [float("nan")]], ["masked_lm_loss"])


def test_lines_are_sorted_as_the_originals():
    assert result_lines({"loss": 0.5, "global_step": 20}) == "global_step = 20\nloss = 0.5\n"
