"""Two ways from pieces to the text of an answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.tasks.squad.answer_text import ANSWER_TEXTS, aligned_text, text_at_offsets
from bert_keras.tasks.squad.contexts import Encoder
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
    tokenizer = reference.small_tokenizer()
    encoded = Encoder(tokenizer).context(context)
    assert aligned_text(encoded, first, last, tokenizer) == aligned
    assert text_at_offsets(encoded, first, last, tokenizer) == at_offsets


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
            assert answer_text(context, piece, piece, tokenizer)
        at_offsets = text_at_offsets(context, piece, piece, tokenizer)
        assert at_offsets in text
        assert context.ids[piece] in Encoder(tokenizer).ids(text)
