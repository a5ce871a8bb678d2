import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = [*"abcdef"]
TOKENIZER = WordPieceTokenizer(
    {token: index for index, token in enumerate([*SPECIAL_TOKENS, *WORDS])}
)


def encode(inputs, max_seq_length=16):
    return MultipleChoice(max_seq_length).encode(iter(inputs), TOKENIZER).examples


def pieces(encoded, example, choice):
    is_token = encoded.tokens["input_mask"][example][choice] == 1
    ids = encoded.tokens["input_ids"][example][choice][is_token]
    return " ".join(TOKENIZER.convert_ids_to_tokens(ids))


def test_a_choice_is_a_sequence_of_context_and_continuation():
    encoded = encode([("a b", ("c d", "e"))])
    assert pieces(encoded, 0, 0) == "[CLS] a b [SEP] c d [SEP]"
    assert pieces(encoded, 0, 1) == "[CLS] a b [SEP] e [SEP]"
    np.testing.assert_array_equal(
        encoded.tokens["segment_ids"][0], [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 0]]
    )


@pytest.mark.parametrize(
    ("max_seq_length", "expected"),
    [
        (9, "[CLS] a b c d e [SEP] f [SEP]"),
        (8, "[CLS] a b c d [SEP] f [SEP]"),
        (5, "[CLS] a [SEP] f [SEP]"),
    ],
)
def test_of_a_sequence_that_is_too_long_the_longer_text_is_cut(max_seq_length, expected):
    encoded = encode([("a b c d e", ("f", "f f"))], max_seq_length)
    assert pieces(encoded, 0, 0) == expected


def test_what_was_cut_is_counted():
    inputs = [("a b", ("c", "c d", "c d e"))] * 2
    assert MultipleChoice(6).encode(inputs, TOKENIZER).num_cut == 4


texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
inputs = st.tuples(texts, st.lists(texts, min_size=2, max_size=5))


@given(st.lists(inputs, min_size=1, max_size=4), st.integers(3, 12))
def test_an_input_is_encoded_alike_beside_others_with_more_choices(inputs, max_seq_length):
    """The others are zeros, and no choice that it has is without a token."""
    together = encode(inputs, max_seq_length)
    for index, one in enumerate(inputs):
        alone = encode([one], max_seq_length)
        num_choices = len(one[1])
        for name, arrays in together.tokens.items():
            expected = alone.tokens[name][0]
            np.testing.assert_array_equal(arrays[index][:num_choices], expected, strict=True)
            assert not arrays[index][num_choices:].any()
        assert together.tokens["input_mask"][index].any(axis=-1).sum() == num_choices


@given(inputs, st.randoms())
def test_choices_in_another_order_are_the_same_sequences_in_that_order(one, random):
    context, choices = one
    order = random.sample(range(len(choices)), len(choices))
    permuted = (context, [choices[index] for index in order])
    ours, theirs = (encode([of], max_seq_length=8).tokens for of in (permuted, one))
    for name in ours:
        np.testing.assert_array_equal(ours[name][0], theirs[name][0][order])


def test_the_answer_is_the_choice_with_the_largest_logit_of_its_own():
    task = MultipleChoice()
    encoded = task.encode([("a", ("b", "c")), ("a", ("b", "c", "d"))], TOKENIZER)
    logits = [np.log(np.array(row, np.float32)) for row in ([1, 3, 9], [1, 2, 1])]
    two, three = task.decode(encoded, {"logits": logits}, BertConfig.named("tiny", 9))
    assert (two.choice, two.probabilities) == (1, pytest.approx([0.25, 0.75]))
    assert (three.choice, three.probabilities) == (1, pytest.approx([0.25, 0.5, 0.25]))


@pytest.mark.parametrize(
    "one", ["a", ["a", ["b"]], ("a", "b"), ("a", []), ("a", ["b", None]), (3, ["b"])]
)
def test_what_is_no_context_with_choices_is_refused(one):
    with pytest.raises(InputError, match="input 1 must be .*text.* list of its continuations"):
        MultipleChoice().encode([("a", ["b", "c"]), one], TOKENIZER)
