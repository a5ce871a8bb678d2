"""Words, on hand-made text: white space, punctuation, Chinese characters, case and accents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers.basic import BasicTokenizer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The ship's  port,\n1811.", ["the", "ship", "'", "s", "port", ",", "1811", "."]),
        ("Café ÜBER", ["cafe", "uber"]),
        ("a東京b", ["a", "東", "京", "b"]),
        ("タワー", ["タワー"]),
        ("al\u200bpha\x0bbeta\u00adgamma", ["alphabetagamma"]),
        ("«vis-à-vis»", ["«", "vis", "-", "a", "-", "vis", "»"]),
        ("\u200b \x01", []),
        (b"caf\xe9 port", ["caf", "port"]),
    ],
)
def test_words_of_uncased_models(text, words):
    assert BasicTokenizer(do_lower_case=True).split(text) == words


def test_case_and_accents_stay_in_cased_models():
    assert BasicTokenizer(do_lower_case=False).split("Café ÜBER!") == ["Café", "ÜBER", "!"]


def test_accents_are_apart_from_case():
    tokenizer = BasicTokenizer(do_lower_case=True, strip_accents=False)
    assert tokenizer.split("Café ÜBER") == ["café", "über"]


@given(st.text(st.characters(max_codepoint=0x7F), min_size=1) | st.from_regex(r"[A-Za-z',.-]+"))
def test_ascii_is_split_as_any_text(text):
    tokenizer = BasicTokenizer()
    spelled = [
        "".join(character.value for character in word)
        for chunk in text.split(" ")
        for word in tokenizer.split_chunk_with_spans(chunk)
    ]
    if not any(character in "\t\n\r" for character in text):
        assert tokenizer.split(text) == spelled


def test_what_is_no_text_is_shown():
    with pytest.raises(InputError, match="Text must be str or UTF-8 bytes.*nan of type float"):
        BasicTokenizer().split(float("nan"))
