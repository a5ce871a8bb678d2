"""A context's words and pieces."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.squad.contexts import Encoder
from experiments.plain_answer_features import split_words
from tests.tasks.squad import reference

TEXTS = (
    st.text(st.sampled_from("ab東 \t\r\n\u202f\u00a0\u2009\u2028\u200b\u0301.,(1\x1f")) | st.text()
)


@given(TEXTS)
def test_pieces_are_those_of_the_whole_text(text):
    tokenizer = reference.tokenizer()
    expected = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))
    encoder = Encoder(tokenizer)
    assert encoder.ids(text) == expected
    assert encoder.context(text).ids.tolist() == expected
    assert encoder.context(text).ids.dtype == np.int32


@given(TEXTS)
def test_words_are_those_of_the_original(text):
    words, word_of_character = split_words(text)
    context = Encoder(reference.tokenizer()).context(text)
    if words:
        assert context.words(0, len(words) - 1) == words
    for character, word in enumerate(word_of_character):
        assert context.word_at(character) == max(0, word)  # spaces before all words: the first


@given(TEXTS)
def test_pieces_of_words_are_those_of_each_word(text):
    words, _ = split_words(text)
    encoder = Encoder(reference.tokenizer())
    context = encoder.context(text)
    for word, characters in enumerate(words):
        first, last = context.pieces_of_words(word, word)
        assert context.ids[first : last + 1].tolist() == encoder.ids(characters)
