import numpy as np
from hypothesis import given

from bert_keras.serving.in_graph.features import InGraphFeatures
from bert_keras.tasks.vectors.features import Features
from tests.serving.in_graph.twins import (
    CONFIG,
    IN_GRAPH,
    TOKENIZER,
    assert_same_rows,
    batches,
    decoded,
    random_logits,
    strings,
    traced,
)

TASK = Features(8)
TWIN = InGraphFeatures(TASK, CONFIG, TOKENIZER, IN_GRAPH)
ENCODE = traced(TWIN)


@given(batches)
def test_tokens_and_their_vectors_are_those_of_python(texts):
    rows, encoded = ENCODE(strings(texts)), TASK.encode(texts, TOKENIZER)
    assert_same_rows(rows, encoded)
    length = max([0, *map(len, encoded.places)])
    hidden = random_logits(len(texts), length, 4)

    found = TWIN.decode(rows, {"sequence_output": hidden})
    expected = TASK.decode(encoded, {"sequence_output": [*hidden]}, CONFIG)
    assert found["features"].shape == hidden.shape
    for index, (tokens, features) in enumerate(expected):
        assert found["num_tokens"][index] == len(tokens)
        padding = [""] * (length - len(tokens))
        assert decoded(found["tokens"][index].numpy()) == tokens + padding
        np.testing.assert_array_equal(found["features"][index][: len(tokens)], features)
        assert not np.any(found["features"][index][len(tokens) :])
