import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.serving.load import load_model
from bert_keras.serving.signatures import ServedModel
from bert_keras.serving.twins import twin_of
from tests.serving.exports import write_model

IDS = [[2, 5, 6, 3], [2, 7, 3, 0]]
MASK = [[1, 1, 1, 1], [1, 1, 1, 0]]
SEGMENTS = [[0, 0, 1, 1], [0, 0, 0, 0]]


def served(folder, task):
    loaded = load_model(str(folder), task)
    return loaded, ServedModel(loaded, twin_of(loaded)).functions


@pytest.fixture(scope="module")
def classifier(model):
    return served(model, "classification")


@pytest.fixture(scope="module")
def masked_lm(tmp_path_factory):
    folder = write_model(tmp_path_factory.mktemp("models") / "masked", "masked_lm")
    return served(folder, "fill_mask")


@pytest.fixture(scope="module")
def multiple_choice(tmp_path_factory):
    folder = write_model(tmp_path_factory.mktemp("models") / "choices", "multiple_choice")
    return served(folder, "multiple_choice")


def tensors(**values):
    return {name: tf.constant(value, tf.int32) for name, value in values.items()}


def assert_same(found, expected):
    assert {*found} == {*expected}
    for name, values in expected.items():
        if values.dtype == tf.string:
            np.testing.assert_array_equal(found[name], values)
        else:
            # The logits of marks are up to 13, where ten roundings are more than 1e-5.
            np.testing.assert_allclose(found[name], values, rtol=1e-6, atol=1e-5)


def examples(*rows):
    return tf.constant([serialized(**row) for row in rows])


def serialized(**features):
    features = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        for name, values in features.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def test_tokens_and_examples_are_answered_by_the_model(classifier):
    loaded, functions = classifier
    inputs = tensors(input_ids=IDS, input_mask=MASK, segment_ids=SEGMENTS)
    expected = loaded.model(inputs)
    assert_same(functions["tokens"](**inputs), expected)
    padded = [
        dict(input_ids=ids, input_mask=mask, segment_ids=segments)
        for ids, mask, segments in zip(IDS, MASK, SEGMENTS, strict=True)
    ]
    assert_same(functions["examples"](examples(*padded)), expected)


def test_mask_and_segments_have_usual_values(classifier):
    loaded, functions = classifier
    ids = tensors(input_ids=IDS)
    complete = ids | tensors(input_mask=np.ones([2, 4]), segment_ids=np.zeros([2, 4]))
    expected = loaded.model(complete)
    assert_same(functions["tokens"](**ids), expected)
    assert_same(functions["token_ids"](**ids), expected)
    assert_same(functions["examples"](examples(*({"input_ids": row} for row in IDS))), expected)


def test_examples_may_have_any_lengths(classifier):
    loaded, functions = classifier
    rows = [dict(input_ids=[2, 5, 6, 3], segment_ids=[0, 0, 1, 1]), dict(input_ids=[2, 7, 3])]
    inputs = tensors(input_ids=IDS, input_mask=MASK, segment_ids=SEGMENTS)
    assert_same(functions["examples"](examples(*rows)), loaded.model(inputs))
    assert functions["examples"](tf.constant([], tf.string))["logits"].shape == (0, 3)


def test_examples_that_contradict_themselves_are_refused(classifier):
    _, functions = classifier
    with pytest.raises(tf.errors.InvalidArgumentError, match="An example must have input_ids"):
        functions["examples"](examples(dict(input_mask=[1])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many segment_ids as input_ids"):
        functions["examples"](examples(dict(input_ids=[2, 3], segment_ids=[0])))


def test_ids_that_cannot_be_are_refused_by_their_numbers(classifier):
    _, functions = classifier
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"vocab_size =. \[39\].*\[-1\] \[39"):
        functions["token_ids"](**tensors(input_ids=[[-1, 39]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)max_position.*\[21\].*\[20\]"):
        functions["token_ids"](**tensors(input_ids=np.ones([1, 21])))


def test_pairs_are_answered_beside_texts(classifier):
    _, functions = classifier
    texts, others = tf.constant(["abc", "d"]), tf.constant(["", "e"])
    alone = functions["serving_default"](text=texts)["probabilities"]
    pairs = functions["pairs"](text=texts, text_b=others)["probabilities"]
    np.testing.assert_allclose(pairs[0], alone[0], atol=1e-5)
    assert np.any(np.abs(pairs[1] - alone[1]) > 1e-3)


def test_a_model_that_has_learned_pairs_takes_pairs_by_default(classifier, model):
    _, functions = classifier
    loaded = load_model(str(model), "classification")
    loaded = loaded._replace(task=dataclasses.replace(loaded.task, is_pair=True))
    of_pairs = ServedModel(loaded, twin_of(loaded)).functions["serving_default"]
    texts = {"text": tf.constant(["abc", "d"]), "text_b": tf.constant(["", "e"])}
    assert_same(of_pairs(**texts), functions["pairs"](**texts))


def test_a_model_of_marks_takes_their_places_too(masked_lm):
    loaded, functions = masked_lm
    marks = tensors(masked_lm_positions=[[1, 2], [1, 0]])
    inputs = tensors(input_ids=IDS, input_mask=MASK, segment_ids=SEGMENTS) | marks
    expected = loaded.model(inputs)
    assert_same(functions["tokens"](**inputs), expected)
    rows = [
        dict(input_ids=IDS[0], segment_ids=SEGMENTS[0], masked_lm_positions=[1, 2]),
        dict(input_ids=IDS[1][:3], masked_lm_positions=[1]),
    ]
    assert_same(functions["examples"](examples(*rows)), expected)
    complete = tensors(input_ids=IDS, input_mask=np.ones([2, 4]), segment_ids=np.zeros([2, 4]))
    assert_same(
        functions["token_ids"](**tensors(input_ids=IDS), **marks), loaded.model(complete | marks)
    )
    assert "pairs" not in functions


def test_a_model_of_choices_takes_them_by_rows(multiple_choice):
    loaded, functions = multiple_choice
    inputs = tensors(input_ids=[IDS], input_mask=[MASK], segment_ids=[SEGMENTS])
    assert_same(functions["tokens"](**inputs), loaded.model(inputs))
    assert {*functions} == {"serving_default", "tokens", "token_ids"}
