"""Properties of Unicode 14 on every Python."""

import unicodedata

import pytest

from bert_keras.tokenizers import unicode_14

ALL = [chr(code) for code in range(0x110000)]


def test_283k_code_points_are_assigned():
    # 144,697 characters, 65 controls, 137,468 for private use, 2,048 surrogates.
    assert sum(map(unicode_14.is_assigned, ALL)) == 144_697 + 65 + 137_468 + 2_048


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="asks a Python with Unicode 14")
def test_python_3_11_agrees_on_every_character():
    wrong = [
        character
        for character in ALL
        if unicode_14.category(character) != unicodedata.category(character)
        or unicode_14.lower(character) != character.lower()
        or unicode_14.decompose(character) != unicodedata.normalize("NFD", character)
        or unicode_14.combining_class(character) != unicodedata.combining(character)
    ]
    assert wrong == []


@pytest.mark.parametrize("character", ["\U0001df2b", "\U0001e4ec", "\U00010d50", "\u1c89"])
def test_a_character_assigned_later_has_no_property(character):
    # Unicode 15: a small letter, a combining mark. Unicode 16: two capital letters.
    assert unicode_14.category(character) == "Cn"
    assert unicode_14.lower(character) == character
    assert unicode_14.combining_class(character) == 0


def test_a_character_assigned_later_is_no_letter_to_a_sigma():
    assert unicode_14.lower("ΑΣ\U0001df2b ΣΣ") == "ας\U0001df2b σς"
