import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import MULTI_LABEL, REGRESSION
from bert_keras.serving.in_graph.classification import InGraphClassification
from bert_keras.tasks.classification.task import Classification
from tests.serving.in_graph.twins import (
    CONFIG,
    IN_GRAPH,
    TOKENIZER,
    assert_same_rows,
    decoded,
    random_logits,
    strings,
    traced,
)

LABELS = ("bad", "so-so", "good")


def halves(labels, problem_type=""):
    """The task, its twin, the config."""
    config = dataclasses.replace(CONFIG, labels=labels, problem_type=problem_type)
    task = Classification(8)
    return task, InGraphClassification(task, config, TOKENIZER, IN_GRAPH), config


TASK, TWIN, _ = halves(LABELS)
ENCODE = traced(TWIN)


def test_texts_are_encoded_as_in_python():
    texts = ["the Ships", "", "quay [SEP] É the Ships the the the"]
    assert_same_rows(ENCODE(strings(texts)), TASK.encode(texts, TOKENIZER))


def answers(labels, problem_type, logits):
    """Those of Python and of the graph."""
    task, twin, config = halves(labels, problem_type)
    expected = task.decode(task.encode([], TOKENIZER), {"logits": [*logits]}, config)
    found = twin.decode(None, {"logits": tf.constant(logits)})  # for any rows
    return expected, {name: values.numpy() for name, values in found.items()}


def test_a_label_is_the_likeliest_of_them():
    expected, found = answers(LABELS, "", random_logits(50, 3))
    assert decoded(found["label"]) == [answer.label for answer in expected]
    assert_probabilities(found, expected)


def test_labels_are_those_of_at_least_a_half():
    expected, found = answers(LABELS, MULTI_LABEL, random_logits(50, 3))
    chosen = [[*np.array(LABELS)[row]] for row in found["is_label"]]
    assert chosen == [answer.labels for answer in expected]
    assert_probabilities(found, expected)


@pytest.mark.parametrize("problem_type", [REGRESSION, ""])
def test_a_score_is_the_number_itself(problem_type):
    expected, found = answers(("score",), problem_type, random_logits(5, 1))
    assert found["score"].tolist() == [answer.score for answer in expected]


def test_no_texts_have_no_answers():
    _, found = answers(LABELS, "", random_logits(0, 3))
    assert {name: values.shape for name, values in found.items()} == {
        "label": (0,),
        "labels": (0, 3),
        "probabilities": (0, 3),
    }


def assert_probabilities(found, expected):
    for row, names, answer in zip(found["probabilities"], found["labels"], expected, strict=True):
        assert decoded(names) == [*answer.probabilities]
        np.testing.assert_allclose(row, [*answer.probabilities.values()], rtol=1e-6)
    assert found["probabilities"].dtype == np.float32
