"""Answers to learn: where their pieces are."""

import pytest

from bert_keras.tasks.squad.contexts import Encoder
from bert_keras.tasks.squad.reading import Answer
from bert_keras.tasks.squad.training_answers import find_answer
from tests.tasks.squad import reference

SHIPS = "\U0001f6a2\U0001f6a2 the port"


def pieces_of(context, text, start):
    """The pieces of an answer, and whether it stands at its offset; None if it is lost."""
    tokenizer = reference.small_tokenizer()
    encoder = Encoder(tokenizer)
    encoded = encoder.context(context)
    span = find_answer(encoded, Answer(text, start), encoder)
    if span is None:
        return None
    tokens = tokenizer.convert_ids_to_tokens(encoded.ids[span.first : span.last + 1])
    return " ".join(tokens), span.is_at_offset


@pytest.mark.parametrize("answer", ["12 km", "12\u00a0km", "12\u2009km"])
@pytest.mark.parametrize("space", ["\u00a0", "\u2009", "\u202f", " "])
def test_any_white_space_stands_for_any_other(space, answer):  # google-research/bert#690
    assert pieces_of(f"Route: 12{space}km by river", answer, 7) == ("12 km", True)


def test_offsets_count_characters():
    assert pieces_of(SHIPS, "port", 7) == ("port", True)


@pytest.mark.parametrize("start", [9, 13, 11, 100, -1, -4, None])
def test_other_offsets_are_found_out(start):  # UTF-16 units, UTF-8 bytes; tensorflow#45684
    assert pieces_of(SHIPS, "port", start) is None


def test_an_answer_in_the_words_at_its_offset_is_found_as_by_the_original():
    assert pieces_of("the port, a river", "port", 5) == ("port", False)
    assert pieces_of("the port, a river", "port", 10) is None


def test_leading_blanks_count():
    assert pieces_of("  the port", "the", 2) == ("the", True)


def test_an_answer_may_begin_with_blanks():
    assert pieces_of("  the port", " the", 1) == ("the", True)


def test_an_answer_inside_of_a_word_is_found_where_its_pieces_are():
    """The example of the original's comment."""
    assert pieces_of("a ship (1895-1943).", "1895", 8) == ("1895", True)


def test_part_of_a_piece_stands_for_the_whole_word():
    assert pieces_of("a (ships).", "hip", 4) == ("( ship ##s ) .", True)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u0301"])
def test_an_answer_without_pieces_is_lost(text):
    assert pieces_of("the \u200b\u0301 port", text, 4) is None


def test_accents_are_stripped_on_both_sides():
    assert pieces_of("the Cafe\u0301.", "Cafe\u0301", 4) == ("cafe", True)
