"""Sentences of several languages, and passages of any length."""

import time

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus.sentence_splitting import LANGUAGES, check_language, split_sentences

SENTENCES = {
    "en": ["Dr. Babbage met her in 1833.", '"Is it far?" asked Mrs. Brown.', "It was not!"],
    "de": ["Das Schiff kam am 3. Mai an.", "Der Hafen, z. B. der alte, war zu."],
    "zh": ["今天天气好。", "我们去吧！", "你来吗？"],
    "ja": ["船が着いた。", "港は大きい。"],
    "hi": ["यह एक किताब है।", "वह जाता है।"],
    "ar": ["هذا كتاب.", "هل تذهب؟", "نعم."],
    "ru": ["Корабль пришёл в порт.", "Порт большой."],
    "ko": ["안녕하세요.", "저는 학생입니다."],
}


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_found_again(language):
    joint = "" if language in ("zh", "ja") else " "
    assert split_sentences([joint.join(SENTENCES[language])], language) == SENTENCES[language]


def test_a_passage_ends_a_sentence_and_stars_are_none():
    assert split_sentences(["A heading", "* * *", "", "The ship. 3", "…"], "en") == [
        *["A heading", "The ship.", "3"]
    ]


@pytest.mark.parametrize("language", ["en", "EN", "pt-br", "zh-Hant", "als", "th", "simple"[:2]])
def test_codes_of_languages_are_taken(language):
    check_language(language)


@pytest.mark.parametrize("language", ["", "english", "xx", "e", "zzz", "-", "en_US", "x" * 5000])
def test_other_words_are_refused_in_a_line(language):
    with pytest.raises(InputError, match="--language must be a code of ISO 639") as error:
        check_language(language)
    assert len(str(error.value)) < 150


def test_there_are_so_many_languages():
    assert len({code for code in LANGUAGES if len(code) == 2}) == 186  # ISO 639-1, and bh, mo, sh
    assert {len(code) for code in LANGUAGES} == {2, 3}


@pytest.mark.parametrize("num_sentences", [1, 5000, 50_000])
def test_passages_of_any_length_give_their_sentences(num_sentences):
    passage = "Mr. Brown sails. " * num_sentences
    assert split_sentences([passage], "en") == ["Mr. Brown sails."] * num_sentences


@pytest.mark.parametrize(
    "passage",
    [
        "今天天气好。" * 50_000,
        "今天天气好" * 60_000,
        "'" * 150_000,
        "word " * 200_000,
        " " * 300_000,
    ],
    ids=["Chinese", "no full stop", "apostrophes", "no sentence", "blanks"],
)
def test_time_grows_with_length_only(passage):
    begin = time.process_time()
    sentences = split_sentences([passage], "zh")
    assert time.process_time() - begin < 5  # sentencex alone: 15 s for the first
    assert "".join(sentences).replace(" ", "") in (passage.replace(" ", ""), "")


def test_long_chinese_passages_are_cut_at_full_stops_only():
    sentences = [f"第{number}句话很短。" for number in range(2000)]
    assert split_sentences(["".join(sentences)], "zh") == sentences
