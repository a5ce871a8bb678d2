import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.fill_mask import InGraphFillMask
from bert_keras.tasks.fill_mask.task import FillMask
from tests.serving.in_graph.twins import (
    CONFIG,
    IN_GRAPH,
    TOKENIZER,
    VOCABULARY,
    assert_same_rows,
    decoded,
    random_logits,
    strings,
    traced,
)

TASK = FillMask(10, top_k=3)
TWIN = InGraphFillMask(TASK, CONFIG, TOKENIZER, IN_GRAPH)
ENCODE = traced(TWIN)
ROWS_OF_NO_TOKEN = 2  # that the table of a model may have

parts = st.sampled_from(["the", "Ships", " ", "[MASK]", "[MASK", "]", "[SEP]", "[mask]", "É"])
texts = st.lists(parts, max_size=8).map("".join)


@given(st.lists(texts, max_size=4))
def test_marks_and_their_likeliest_pieces_are_those_of_python(texts):
    rows, encoded = ENCODE(strings(texts)), TASK.encode(texts, TOKENIZER)
    assert_same_rows(rows, encoded)
    positions = encoded.examples.values["masked_lm_positions"]
    np.testing.assert_array_equal(rows.places["masked_lm_positions"], positions)
    logits = random_logits(*positions.shape, len(VOCABULARY) + ROWS_OF_NO_TOKEN)

    found = TWIN.decode(rows, {"masked_lm_logits": logits})
    expected = TASK.decode(encoded, {"masked_lm_logits": [*logits]}, CONFIG)
    assert found["token"].shape == found["score"].shape == (*positions.shape, 3)
    for index, (masks,) in enumerate(expected):
        assert found["num_masks"][index] == len(masks)
        for place, candidates in enumerate(masks):
            tokens, ids, scores = zip(*candidates, strict=True)
            assert decoded(found["token"][index, place].numpy()) == [*tokens]
            assert found["token_id"][index, place].numpy().tolist() == [*ids]
            np.testing.assert_allclose(found["score"][index, place], scores, rtol=1e-6)
        for name, nothing in (("token", b""), ("token_id", 0), ("score", 0)):
            assert np.all(found[name][index, len(masks) :].numpy() == nothing)


def test_bad_bytes_within_a_mark_are_dropped_first():
    [ids] = ENCODE(strings([b"the [MA\xffSK]"])).ids.to_list()
    assert TOKENIZER.convert_ids_to_tokens(ids) == ["[CLS]", "the", "[MASK]", "[SEP]"]


def test_no_more_pieces_are_named_than_there_are():
    twin = InGraphFillMask(FillMask(10, top_k=99), CONFIG, TOKENIZER, IN_GRAPH)
    logits = random_logits(1, 1, len(VOCABULARY))
    found = twin.decode(ENCODE(strings(["[MASK]"])), {"masked_lm_logits": logits})
    assert found["token"].shape == (1, 1, len(VOCABULARY))
