import numpy as np

from bert_keras.serving.in_graph.embedding import InGraphEmbedding
from bert_keras.tasks.vectors.embedding import Embedding
from tests.serving.in_graph.twins import (
    CONFIG,
    IN_GRAPH,
    TOKENIZER,
    assert_same_rows,
    random_logits,
    strings,
    traced,
)

TASK = Embedding(8)
TWIN = InGraphEmbedding(TASK, CONFIG, TOKENIZER, IN_GRAPH)
ENCODE = traced(TWIN)


def test_texts_are_encoded_as_in_python():
    texts = ["the Ships", "", "quay [SEP] É the Ships the the the"]
    assert_same_rows(ENCODE(strings(texts)), TASK.encode(texts, TOKENIZER))


def test_the_answer_is_the_vector():
    vectors = random_logits(3, 4)
    found = TWIN.decode(ENCODE(strings(["the"] * 3)), {"sentence_embedding": vectors})
    encoded = TASK.encode(["the"] * 3, TOKENIZER)
    expected = TASK.decode(encoded, {"sentence_embedding": [*vectors]}, CONFIG)
    np.testing.assert_array_equal(found["embedding"], [one.embedding for one in expected])
