import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.multiple_choice.encoding import encode
from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = [*"abcdef"]
TOKENIZER = WordPieceTokenizer(
    {token: index for index, token in enumerate([*SPECIAL_TOKENS, *WORDS])}
)


def pieces(encoded, example, choice):
    is_token = encoded.tokens["input_mask"][example][choice] == 1
    ids = encoded.tokens["input_ids"][example][choice][is_token]
    return " ".join(TOKENIZER.convert_ids_to_tokens(ids))


def test_a_choice_is_a_sequence_of_context_and_continuation():
    encoded = encode([Example("0", "a b", ("c d", "e"), 1)], TOKENIZER, 16, "dev")
    assert pieces(encoded, 0, 0) == "[CLS] a b [SEP] c d [SEP]"
    assert pieces(encoded, 0, 1) == "[CLS] a b [SEP] e [SEP]"
    np.testing.assert_array_equal(
        encoded.tokens["segment_ids"][0], [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 0]]
    )
    np.testing.assert_array_equal(encoded.values["label_ids"], np.array([1], np.int32), strict=True)


@pytest.mark.parametrize(
    ("max_seq_length", "expected"),
    [
        (9, "[CLS] a b c d e [SEP] f [SEP]"),
        (8, "[CLS] a b c d [SEP] f [SEP]"),
        (5, "[CLS] a [SEP] f [SEP]"),
    ],
)
def test_of_a_sequence_that_is_too_long_the_longer_text_is_cut(max_seq_length, expected):
    encoded = encode([Example("0", "a b c d e", ("f", "f f"), 0)], TOKENIZER, max_seq_length, "dev")
    assert pieces(encoded, 0, 0) == expected


def test_what_was_cut_is_said(capfd):
    encode([Example("0", "a b", ("c", "c d", "c d e"), 0)] * 2, TOKENIZER, 6, "dev")
    said = capfd.readouterr().err
    assert "dev: 6 sequences of 36 tokens" in said
    assert "4 were cut to --max_seq_length=6" in said


def test_examples_without_labels_have_none():
    assert encode([Example("0", "a", ("b", "c"), None)], TOKENIZER, 16, "dev").values == {}


texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
examples = st.builds(
    Example, st.just(""), texts, st.lists(texts, min_size=2, max_size=5).map(tuple), st.just(0)
)


@given(st.lists(examples, min_size=1, max_size=4), st.integers(3, 12))
def test_an_example_is_encoded_alike_beside_others_with_more_choices(examples, max_seq_length):
    """The others are zeros, and no choice that it has is without a token."""
    together = encode(examples, TOKENIZER, max_seq_length, "dev")
    for index, example in enumerate(examples):
        alone = encode([example], TOKENIZER, max_seq_length, "dev")
        num_choices = len(example.continuations)
        for name, arrays in together.tokens.items():
            expected = alone.tokens[name][0]
            np.testing.assert_array_equal(arrays[index][:num_choices], expected, strict=True)
            assert not arrays[index][num_choices:].any()
        assert together.tokens["input_mask"][index].any(axis=-1).sum() == num_choices


@given(examples, st.randoms())
def test_choices_in_another_order_are_the_same_sequences_in_that_order(example, random):
    order = random.sample(range(len(example.continuations)), len(example.continuations))
    permuted = example._replace(continuations=tuple(example.continuations[i] for i in order))
    ours, theirs = (encode([one], TOKENIZER, 8, "dev").tokens for one in (permuted, example))
    for name in ours:
        np.testing.assert_array_equal(ours[name][0], theirs[name][0][order])
