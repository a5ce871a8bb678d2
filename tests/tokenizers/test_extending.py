"""New words, by hand."""

import pytest

from bert_keras.errors import InputError
from bert_keras.tokenizers import extending

VOCAB = ["[PAD]", "[unused1]", "[unused2]", "[UNK]", "ship", "##s", "##y", "a", "##b"]
IDS = {token: index for index, token in enumerate(VOCAB)}


def test_words_are_ranked_by_the_tokens_that_they_save():
    word_counts = {
        "ship": 99,  # is there
        "ships": 5,  # saves 5
        "shipsy": 3,  # saves 6
        "ab": 5,  # saves 5
        "東": 4,  # unknown, of one character
        "boat": 2,  # unknown, of four
        "abb": 1,  # too rare
    }
    ranked = extending.rank_new_words(word_counts, IDS, min_count=2)
    assert ranked == ["boat", "shipsy", "ab", "ships", "東"]


def test_punctuation_and_symbols_are_no_new_words():
    word_counts = {"_": 99, "—": 99, "→→": 99, "☃": 99, "7": 9, "ж": 8, "र्": 7, "x²": 6}
    ranked = extending.rank_new_words(word_counts, IDS, min_count=2)
    assert ranked == ["र्", "x²", "7", "ж"]


@pytest.mark.parametrize("word", ["a" * 201, "東" * 86])  # a word for neither engine
def test_words_that_are_too_long_for_a_tokenizer_are_left_out(word):
    assert extending.rank_new_words({word: 9}, IDS, min_count=1) == []


def test_slots_are_filled_and_all_else_keeps_its_id():
    extended = extending.put_into_slots(IDS, ["ships"])
    assert extended == {**{t: i for t, i in IDS.items() if i != 1}, "ships": 1}


def test_more_words_than_slots_are_refused():
    with pytest.raises(InputError, match="there are 2. Received: 3 words"):
        extending.put_into_slots(IDS, ["x", "y", "z"])


def test_words_at_the_end_leave_all_else_as_it_is():
    assert extending.put_at_end(IDS, ["ships", "boat"]) == {**IDS, "ships": 9, "boat": 10}
