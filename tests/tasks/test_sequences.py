"""Pairs of texts as sequences, against the packing of a single one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tasks.sequences import encode, encode_sequences
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ship", "##s"]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})
pieces = st.lists(st.sampled_from(WORDS[4:]), max_size=8)


def sequences(pairs, max_seq_length):
    return encode_sequences(iter(pairs), len(pairs), TOKENIZER, max_seq_length, "dev")


@given(st.lists(st.tuples(pieces, pieces), min_size=1, max_size=4), st.integers(3, 12))
def test_every_pair_is_packed_in_its_order(pairs, max_seq_length):
    for pair, (ids, segment_ids, _) in zip(pairs, sequences(pairs, max_seq_length), strict=True):
        expected = pack(*pair, max_seq_length)
        assert TOKENIZER.convert_ids_to_tokens(ids) == expected.pieces
        assert segment_ids.tolist() == expected.segment_ids
        assert ids.dtype == segment_ids.dtype == np.int32


def test_it_is_said_how_many_were_cut(capsys):
    pairs = [(["the"] * 3, []), (["the"], ["ship"]), (["the"] * 3, ["ship"]), (["the"] * 9, [])]
    sequences(pairs, 5)
    assert "dev: 4 sequences of 20 tokens" in (said := capsys.readouterr().err)
    assert "2 were cut to --max_seq_length=5" in said


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
    single = encode(TOKENIZER, ("the",), values={"label_ids": np.array([7])})
    assert single.tokens["input_ids"][0].tolist() == [2, 4, 3]
    assert single.values["label_ids"].tolist() == [7]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("the ship",), "texts must be a list"),
        ((["the ship"], "the"), "second_texts must be a list"),
        ((["the", "ship"], ["the"]), "as many second_texts as texts, 2. Received: 1"),
        ((["the", "ship"], None, 8, {"label_ids": [1]}), "as many label_ids as texts, 2"),
    ],
)
def test_texts_that_do_not_match_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        encode(TOKENIZER, *arguments)
