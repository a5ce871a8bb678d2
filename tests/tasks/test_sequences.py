"""Texts and pairs of texts as sequences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tasks.sequences import encode, encode_pair
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ship", "##s"]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})
pieces = st.lists(st.sampled_from(WORDS[4:]), max_size=8)


@given(pieces, pieces, st.integers(3, 12))
def test_a_pair_is_packed(pieces_a, pieces_b, max_seq_length):
    ids, segment_ids, is_cut = encode_pair(pieces_a, pieces_b, TOKENIZER, max_seq_length)
    expected = pack(pieces_a, pieces_b, max_seq_length)
    assert TOKENIZER.convert_ids_to_tokens(ids) == expected.pieces
    assert segment_ids.tolist() == expected.segment_ids
    assert ids.dtype == segment_ids.dtype == np.int32
    assert is_cut == (len(ids) < len(pack(pieces_a, pieces_b, 100).pieces))


def test_texts_and_pairs_become_examples():
    examples = encode(TOKENIZER, ["the ships", ""], ["the", "ship the ship"], 6)
    assert [row.tolist() for row in examples.tokens["input_ids"]] == [
        [2, 4, 5, 3, 4, 3],  # the pieces of the longer text are cut
        [2, 3, 5, 4, 5, 3],
    ]
    assert [row.tolist() for row in examples.tokens["segment_ids"]] == [
        [0, 0, 0, 0, 1, 1],
        [0, 0, 1, 1, 1, 1],
    ]
    single = encode(TOKENIZER, ("the",), values={"label_ids": [7]})
    assert single.tokens["input_ids"][0].tolist() == [2, 4, 3]
    assert single.values["label_ids"].tolist() == [7]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("the ship",), "texts must be a list"),
        ((["the ship"], "the"), "second_texts must be a list"),
        ((["the", "ship"], ["the"]), "as many second_texts as texts, 2. Received: 1"),
        ((["the", "ship"], None, 8, {"label_ids": [1]}), "as many label_ids as texts, 2"),
        (
            (["the"], None, 8, {"label_ids": ["good"]}),
            "label_ids must be numbers.*Received: .*good",
        ),
        (([None],), "input 0 must be a text or a pair of texts"),
    ],
)
def test_texts_that_do_not_match_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        encode(TOKENIZER, *arguments)
