"""Pairs of texts as sequences, against the packing of a single one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.sequences import encode_sequences
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ship", "##s"]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})
pieces = st.lists(st.sampled_from(WORDS[4:]), max_size=8)


def sequences(pairs, max_seq_length):
    return encode_sequences(iter(pairs), len(pairs), TOKENIZER, max_seq_length, "dev")


@given(st.lists(st.tuples(pieces, pieces), min_size=1, max_size=4), st.integers(3, 12))
def test_every_pair_is_packed_in_its_order(pairs, max_seq_length):
    for pair, (ids, segment_ids) in zip(pairs, sequences(pairs, max_seq_length), strict=True):
        expected = pack(*pair, max_seq_length)
        assert TOKENIZER.convert_ids_to_tokens(ids) == expected.pieces
        assert segment_ids.tolist() == expected.segment_ids
        assert ids.dtype == segment_ids.dtype == np.int32


def test_it_is_said_how_many_were_cut(capsys):
    pairs = [(["the"] * 3, []), (["the"], ["ship"]), (["the"] * 3, ["ship"]), (["the"] * 9, [])]
    sequences(pairs, 5)
    assert "dev: 4 sequences of 20 tokens" in (said := capsys.readouterr().err)
    assert "2 were cut to --max_seq_length=5" in said
