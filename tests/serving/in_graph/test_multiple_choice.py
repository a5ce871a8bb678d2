import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.multiple_choice import InGraphMultipleChoice
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from tests.serving.in_graph.twins import (
    CONFIG,
    IN_GRAPH,
    TOKENIZER,
    random_logits,
    strings,
    texts,
    traced,
)

TASK = MultipleChoice(9)
TWIN = InGraphMultipleChoice(TASK, CONFIG, TOKENIZER, IN_GRAPH)
ENCODE = traced(TWIN)


@st.composite
def batches(draw):
    num_choices = draw(st.integers(1, 4))
    choices = st.lists(texts, min_size=num_choices, max_size=num_choices)
    return draw(st.lists(st.tuples(texts, choices), min_size=1, max_size=3))


@given(batches())
def test_choices_are_those_of_python(inputs):
    contexts, choices = zip(*inputs, strict=True)
    rows, encoded = ENCODE(strings(contexts), strings(choices)), TASK.encode(inputs, TOKENIZER)
    num_inputs, num_choices = np.shape(choices)
    assert rows.owner.numpy().tolist() == [*np.repeat(range(num_inputs), num_choices)]
    tokens = encoded.examples.tokens
    for name, ours in (("input_ids", rows.ids), ("segment_ids", rows.segment_ids)):
        theirs = [
            ids[mask == 1].tolist()
            for of_input, masks in zip(tokens[name], tokens["input_mask"], strict=True)
            for ids, mask in zip(of_input, masks, strict=True)
        ]
        assert ours.to_list() == theirs
    logits = random_logits(num_inputs, num_choices)
    found = TWIN.decode(rows, {"logits": logits.reshape(-1, 1)})
    expected = TASK.decode(encoded, {"logits": [*logits]}, CONFIG)
    assert found["choice"].numpy().tolist() == [answer.choice for answer in expected]
    probabilities = [answer.probabilities for answer in expected]
    np.testing.assert_allclose(found["probabilities"], probabilities, rtol=1e-6)


def test_no_inputs_have_no_answers():
    rows = ENCODE(strings([]), tf.zeros([0, 2], tf.string))
    found = TWIN.decode(rows, {"logits": random_logits(0, 1)})
    assert found["choice"].shape == (0,) and found["probabilities"].shape == (0, 2)


def test_every_context_has_choices():
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many contexts as rows of choices"):
        ENCODE(strings(["a", "b"]), strings([["c"]]))
