"""Outputs come in the order of the examples, whatever the batches are."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples
from bert_keras.training.inference import Inference
from bert_keras.training.stop import StopRequest

LENGTHS = [3, 20, 1, 9, 9, 2, 14]


@pytest.fixture(scope="module")
def model():
    """Twice its ids, and their sum."""
    ids = keras.Input((None,), dtype="int32", name="input_ids")
    outputs = {"twice": ids * 2, "sum": keras.ops.sum(ids, axis=1, keepdims=True)}
    return keras.Model({"input_ids": ids}, outputs)


@pytest.fixture(scope="module")
def examples():
    ids = [np.arange(length, dtype=np.int32) + length for length in LENGTHS]
    return EncodedExamples({"input_ids": ids}, {})


def inference(model, stop=None, **options):
    return Inference(tf.distribute.get_strategy(), model, stop or StopRequest(), **options)


@pytest.mark.parametrize("batch_size", [1, 2, 7, 10])
def test_every_example_gets_its_own_outputs(model, examples, batch_size):
    done = []
    outputs = inference(model).run(examples, batch_size, done.append)
    assert sum(done) == len(LENGTHS)
    for ids, twice, total in zip(
        examples.tokens["input_ids"], outputs["twice"], outputs["sum"], strict=True
    ):
        np.testing.assert_array_equal(twice[: len(ids)], 2 * ids)
        assert not twice[len(ids) :].any()  # padding
        assert total == [ids.sum()]


def test_batches_may_all_have_one_length(model, examples):
    outputs = inference(model, padded_length=24).run(examples, 4, lambda _: None)
    assert {values.shape for values in outputs["twice"]} == {(24,)}


def test_a_stop_leaves_no_outputs(model, examples):
    stop = StopRequest()
    stop.request("a test")
    assert inference(model, stop).run(examples, 2, lambda _: None) is None


def test_many_models_of_one_process_are_no_retracing(model, examples, caplog, monkeypatch):
    monkeypatch.setattr(tf.get_logger(), "propagate", True)  # to what the test reads
    for _ in range(6):  # TensorFlow warns after five traces
        inference(model).run(examples, 4, lambda _: None)
    assert not caplog.records


def test_no_examples_have_no_outputs(model):
    outputs = inference(model).run(EncodedExamples({"input_ids": []}, {}), 4, lambda _: None)
    assert outputs == {"twice": [], "sum": []}
