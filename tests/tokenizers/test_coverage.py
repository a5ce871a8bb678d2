"""Coverage, by hand."""

import pytest

from bert_keras.tokenizers import coverage

VOCAB = ["[UNK]", "ship", "##s", "a"]


def test_tokens_and_unknown_words_by_hand():
    word_counts = {"ship": 5, "ships": 3, "boat": 2}  # 5 + 3 * 2 + 2 tokens
    measured = coverage.measure_coverage(word_counts, VOCAB)
    assert measured == pytest.approx((13 / 10, 2 / 10))


def test_characters_are_counted():
    assert coverage.count_characters({"as": 4, "by": 2, "cb": 1}) == dict(a=4, s=4, b=3, y=2, c=1)


def test_uncovered_characters_come_by_their_counts():
    word_counts = {"as": 4, "by": 2, "cb": 1}
    assert coverage.uncovered_characters(word_counts, VOCAB) == [("b", 3), ("y", 2), ("c", 1)]
