import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import MULTI_LABEL, REGRESSION, BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.classification.task import Classification
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ship", "##s", "sail", "port", "."]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})
CONFIG = BertConfig.named("tiny", len(WORDS))
LOGITS = np.log(np.array([[1, 3], [3, 1]], np.float32))

texts = st.lists(st.sampled_from(["the", "Ships", "sail", "quay", "."]), max_size=8).map(" ".join)


def test_texts_become_ids_masks_and_segments():
    inputs = ["The ships sail", ("The port.", "Ships"), ""]
    (tokens, _), _, num_cut = Classification(16).encode(inputs, TOKENIZER)

    assert [ids.tolist() for ids in tokens["input_ids"]] == [
        [2, 4, 5, 6, 7, 3],
        [2, 4, 8, 9, 3, 5, 6, 3],
        [2, 3],
    ]
    assert [ids.tolist() for ids in tokens["segment_ids"]] == [
        [0] * 6,
        [0] * 5 + [1] * 3,
        [0] * 2,
    ]
    assert [mask.tolist() for mask in tokens["input_mask"]] == [[1] * 6, [1] * 8, [1] * 2]
    assert {array.dtype for arrays in tokens.values() for array in arrays} == {np.dtype(np.int32)}
    assert num_cut == 0


@given(st.lists(texts | st.tuples(texts, texts), min_size=1, max_size=4), st.integers(3, 12))
def test_every_input_is_encoded_and_fits(inputs, max_seq_length):
    encoded = Classification(max_seq_length).encode(iter(inputs), TOKENIZER)

    input_ids = encoded.examples.tokens["input_ids"]
    assert len(input_ids) == len(inputs)
    num_cut = 0
    for one, ids in zip(inputs, input_ids, strict=True):
        text_a, text_b = (one, "") if isinstance(one, str) else one
        pieces = [TOKENIZER.tokenize(text) for text in (text_a, text_b)]
        assert TOKENIZER.convert_ids_to_tokens(ids) == pack(*pieces, max_seq_length).pieces
        assert len(ids) <= max_seq_length
        num_cut += len(ids) < len(pack(*pieces, 1000).pieces)
    assert encoded.num_cut == num_cut


def answers(labels, problem_type, logits=LOGITS):
    config = dataclasses.replace(CONFIG, labels=labels, problem_type=problem_type)
    task = Classification()
    encoded = task.encode(["the"] * len(logits), TOKENIZER)
    return [one._asdict() for one in task.decode(encoded, {"logits": list(logits)}, config)]


def test_answers_are_what_the_labels_of_the_model_mean():
    single, other = answers(("bad", "good"), "")
    assert single["label"] == "good" and other["label"] == "bad"
    assert single["probabilities"] == pytest.approx({"bad": 0.25, "good": 0.75})
    several, _ = answers(("bad", "good"), MULTI_LABEL, np.array([[-1, 0], [0, 0]], np.float32))
    assert several["labels"] == ["good"]
    assert several["probabilities"] == pytest.approx({"bad": 1 / (1 + np.e), "good": 0.5})
    for problem_type in (REGRESSION, ""):  # of one label it need not be said
        assert answers(("score",), problem_type, np.array([[2.5]], np.float32)) == [{"score": 2.5}]


def test_no_inputs_have_no_answers():
    assert answers(("bad", "good"), "", LOGITS[:0]) == []


@pytest.mark.parametrize("one", [None, b"the", 7, ("a", "b", "c"), ("a", None), "\ud800"])
def test_what_is_no_text_is_refused_by_its_place(one):
    with pytest.raises(InputError, match="input 1 must be a text or a pair of texts. Received"):
        Classification().encode(["the", one], TOKENIZER)


def test_a_model_of_pairs_takes_nothing_else():
    task = Classification(16, is_pair=True)
    assert (
        len(task.encode([("the ship", "the port"), ("ship", "")], TOKENIZER).examples.lengths) == 2
    )
    with pytest.raises(InputError, match=r"input 1 must be a pair of texts.* Received: 'port'"):
        task.encode([("the ship", "the port"), "port"], TOKENIZER)


def test_a_list_is_no_pair():
    """It may be that of the words of a text."""
    with pytest.raises(
        InputError, match=r"input 0 must be a text or a pair of texts.*\['a', 'b'\]"
    ):
        Classification(16).encode([["a", "b"]], TOKENIZER)
