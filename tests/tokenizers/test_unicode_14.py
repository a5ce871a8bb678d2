"""Properties of Unicode 14 on every Python."""

import hashlib
import unicodedata

import pytest

from bert_keras.tokenizers import unicode_14

ALL = [chr(code) for code in range(0x110000)]


# Of the four properties of every code point, taken under Python 3.11.
DIGEST = "3d6651830084cc149c309407cc5f368cd3e56a5e5dc6ca33d67acb18f81d8681"


def properties_digest() -> str:
    lines = [
        f"{unicode_14.category(c)} {ascii(unicode_14.lower(c))} {ascii(unicode_14.decompose(c))} "
        f"{unicode_14.combining_class(c)}\n"
        for c in ALL
    ]
    return hashlib.sha256("".join(lines).encode("ascii")).hexdigest()


def test_properties_are_the_same_on_every_python():
    assert properties_digest() == DIGEST


def test_283k_code_points_are_assigned():
    # 144,697 characters, 65 controls, 137,468 for private use, 2,048 surrogates.
    assert sum(map(unicode_14.is_assigned, ALL)) == 144_697 + 65 + 137_468 + 2_048


@pytest.mark.slow
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
