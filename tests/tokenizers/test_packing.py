import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers.packing import pack, truncate_pair

texts = st.lists(st.sampled_from("abcdef"), max_size=30)


def cut_one_by_one(a, b, max_num_tokens):
    """The loop of the original's _truncate_seq_pair."""
    a, b = list(a), list(b)
    while len(a) + len(b) > max_num_tokens:
        (a if len(a) > len(b) else b).pop()
    return a, b


@given(texts, texts, st.integers(0, 40))
def test_a_pair_is_cut_as_if_token_by_token_off_the_longer(a, b, max_num_tokens):
    assert truncate_pair(a, b, max_num_tokens) == cut_one_by_one(a, b, max_num_tokens)


@given(texts, texts, st.integers(3, 40))
def test_a_sequence_fits_and_ends_with_a_separator(a, b, max_seq_length):
    pieces, segment_ids = pack(a, b, max_seq_length)

    assert len(pieces) == len(segment_ids) <= max_seq_length
    assert pieces[0] == "[CLS]" and pieces[-1] == "[SEP]"
    num_in_a = pieces.index("[SEP]") + 1
    assert segment_ids == [0] * num_in_a + [1] * (len(pieces) - num_in_a)


def test_what_fits_is_kept_whole():
    assert pack(["a", "b"], ["c"], 6) == (
        ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"],
        [0, 0, 0, 0, 1, 1],
    )


def test_a_single_text_has_one_separator():
    assert pack(["a", "b", "c"], [], 4) == (["[CLS]", "a", "b", "[SEP]"], [0, 0, 0, 0])


def test_no_text_at_all_is_two_special_tokens():
    assert pack([], [], 8).pieces == ["[CLS]", "[SEP]"]


def test_an_empty_text_before_another_keeps_its_separator():
    assert pack([], ["a"], 8) == (["[CLS]", "[SEP]", "a", "[SEP]"], [0, 0, 1, 1])


def test_a_text_that_is_not_in_pieces_is_refused():
    with pytest.raises(InputError, match="tokenizer.tokenize.*Received: 'A dull film.'"):
        pack("A dull film.", [], 12)
    with pytest.raises(InputError, match="Received: ''"):
        pack(["a"], "", 12)
