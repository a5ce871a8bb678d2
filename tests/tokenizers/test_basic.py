"""Words, on hand-made text: white space, punctuation, Chinese characters, case and accents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers import unicode_14
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


def spelled(words):
    return ["".join(character.value for character in word) for word in words]


@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@given(
    st.from_regex(r"[!-~\x00-\x08\x7f]+", fullmatch=True)
    | st.text("ΣσςİIiéÅ가각e\u0301\u0327\u0345\u1d165東ab.\u0378\x85\x1c\u200d«", min_size=1)
    | st.text(st.characters(exclude_categories=("Zs", "Zl", "Zp", "Cc", "Cs")), min_size=1)
)
def test_words_are_those_with_spans(lower, strip_accents, chunk):
    tokenizer = BasicTokenizer(lower, strip_accents)
    assert tokenizer.split_chunk(chunk) == spelled(tokenizer.split_chunk_with_spans(chunk))


def test_each_character_gives_the_words_with_spans():
    tokenizer = BasicTokenizer()
    for character in unicode_14.assigned_characters():
        # Most of "Lo" are ideographs and Hangul, which are alike.
        if not character.isspace() and unicode_14.category(character) not in ("Lo", "Co"):
            words = spelled(tokenizer.split_chunk_with_spans(f"a{character}B"))
            assert tokenizer.split_chunk(f"a{character}B") == words, ascii(character)


def test_what_is_no_text_is_shown():
    with pytest.raises(InputError, match="Text must be str or UTF-8 bytes.*nan of type float"):
        BasicTokenizer().split(float("nan"))
