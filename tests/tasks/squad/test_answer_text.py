"""Two ways from pieces to the text of an answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.tasks.squad.answer_text import ANSWER_TEXTS, aligned_text, text_at_offsets
from bert_keras.tasks.squad.contexts import Encoder
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.tasks.squad import reference

CHARACTERS = "abc1.,( \t\u00a0\u202f\u200b\u0301\u0130\u00df\u4eac"
CASES = [
    # context, first and last piece, aligned, at offsets
    ("the ships.", 1, 1, "ship", "ship"),
    ("the ships.", 1, 2, "ships", "ships"),
    ("a ship  (1895-1943).", 1, 3, "ship (1895", "ship  (1895"),  # joined by single blanks
    ("the Cafe\u0301 a", 1, 1, "Cafe\u0301", "Cafe\u0301"),
    ("the \u00d6x, a", 2, 2, ",", ","),
    ("a b\u200bc, d", 1, 2, "b\u200bc,", "b\u200bc"),  # lengths differ: whole words
    ("12\u00a0km, a", 0, 1, "12\u00a0km,", "12\u00a0km"),
    ("\u6771\u4eac\u3002x", 1, 1, "\u4eac", "\u4eac"),
    ("a \u6771\ufeff\u4eac.", 1, 1, "\u6771\ufeff\u4eac.", "\u6771"),
    ("a (q).", 2, 2, "(q).", "q"),  # an unknown word
]


@pytest.mark.parametrize(("context", "first", "last", "aligned", "at_offsets"), CASES)
def test_texts(context, first, last, aligned, at_offsets):
    encoded = Encoder(reference.small_tokenizer()).context(context)
    assert aligned_text(encoded)(first, last) == aligned
    assert text_at_offsets(encoded)(first, last) == at_offsets


@pytest.mark.parametrize("answer_text", ANSWER_TEXTS.values())
def test_a_context_is_looked_at_once_for_all_its_answers(answer_text):
    """One of Chinese is a single word, which each of its answers stands in."""
    looked_at = []

    class Counting(WordPieceTokenizer):
        def tokenize_with_offsets(self, text):
            looked_at.append(text)
            return super().tokenize_with_offsets(text)

    tokenizer = Counting(reference.small_tokenizer().vocab)
    split = tokenizer.basic.split
    tokenizer.basic.split = lambda text: looked_at.append(text) or split(text)
    text = "\u6771\u4eac" * 40
    text_of = answer_text(Encoder(tokenizer).context(text))
    answers = [text_of(first, last) for first in range(10) for last in range(first, 10)]
    assert answers[1] == text[:2] and looked_at == [text]


@settings(max_examples=40)
@given(
    st.text(
        st.sampled_from("abc东\u4eac1 \t\u00a0\u202f\u200b\u0301\u0130\u00df.,(") | st.characters()
    )
)
def test_a_text_is_part_of_its_context(text):
    tokenizer = reference.tokenizer()
    context = Encoder(tokenizer).context(text)
    for piece in range(len(context.ids)):
        for answer_text in ANSWER_TEXTS.values():
            assert answer_text(context)(piece, piece)
        at_offsets = text_at_offsets(context)(piece, piece)
        assert at_offsets in text
        assert context.ids[piece] in Encoder(tokenizer).ids(text)
