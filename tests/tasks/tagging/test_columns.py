import pathlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tasks.tagging.columns import (
    Columns,
    Sentence,
    column_text,
    columns_of,
    read_tagged,
    read_words,
)

GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "tagging"


def tagged(path, token_column=None, tag_column=None):
    return read_tagged(str(path), columns_of(str(path), token_column, tag_column))


def pairs(sentences):
    return [list(zip(s.words, s.tags, strict=True)) for s in sentences]


@pytest.fixture
def written(tmp_path):
    def write(text, name="words.conll"):
        (tmp_path / name).write_bytes(text.encode("utf-8"))
        return tmp_path / name

    return write


def test_wnut_words_may_begin_with_a_hash_and_a_line_of_a_tab_ends_a_sentence():
    first, second, third = tagged(GOLDEN / "wnut17.conll")
    assert pairs([second])[0] == [
        ("Buck", "B-location"),
        ("mountain", "I-location"),
        ("tomorrow", "O"),
        (".", "O"),
        ("#adirondacks", "O"),
        ("#hiking", "O"),
    ]
    assert (first.words[-1], first.tags[-1], first.lines[-1]) == ("#BB11", "B-creative-work", 14)
    assert third.words[-2:] == ["\ufe0f", "\U0001f646"]


def test_uner_has_numbers_annotators_and_comments():
    first, second = tagged(GOLDEN / "uner_ewt.iob2")
    assert (len(first.words), first.words[6:8], first.tags[6:8]) == (
        24,
        ["tampa", "bay"],
        ["B-LOC", "I-LOC"],
    )
    assert pairs([second]) == [[("Tom", "B-PER"), ("Martin", "I-PER")]]


@pytest.mark.parametrize(
    ("tag_column", "tags"),
    [(None, "AUX PART VERB PUNCT"), (4, "VB RB VB ."), (-3, "0 3 0 3")],
)
def test_conllu_words_are_those_with_a_whole_number(tag_column, tags):
    first, second = tagged(GOLDEN / "ud_ewt.conllu", tag_column=tag_column)
    assert first.words[7:10] == ["500", "wounded", "in"]  # without 8.1
    assert second.words == ["Do", "n't", "go", "!"]  # without 1-2
    if tag_column != -3:
        assert second.tags == tags.split()


def test_columns_of_conll_2003(written):
    path = written("-DOCSTART- -X- -X- O\n\nEU  NNP B-NP B-ORG\nsay VBZ B-VP O\n\n\n. . O O")
    assert pairs(tagged(path)) == [[("EU", "B-ORG"), ("say", "O")], [(".", "O")]]
    assert tagged(path, tag_column=1)[0].tags == ["NNP", "VBZ"]
    assert read_words(str(path), Columns(3, 0))[0].words == ["B-ORG", "O"]


def test_only_tabs_part_columns_where_there_are_tabs_and_only_blanks_elsewhere(written):
    tabs = written("New York\tB-LOC\n20\u00a0km\tO\n\u2028\tO\r\n\x85\tO\n\u3000\tO\n")
    assert tagged(tabs)[0].words == ["New York", "20\u00a0km", "\u2028", "\x85", "\u3000"]
    assert tagged(tabs)[0].lines == [1, 2, 3, 4, 5]
    blanks = written("20\u00a0km   O\n\u2003 O\n", "blanks.conll")
    assert tagged(blanks)[0].words == ["20\u00a0km", "\u2003"]


@pytest.mark.parametrize(
    "first", ["-DOCSTART-", "-DOCSTART- O", "-DOCSTART- -X- -X- O", "# id = 1"]
)
def test_the_first_word_says_what_parts_the_columns(written, first):
    tabs = written(f"{first}\n\nNew York\tB-LOC\n\n{first}\n\nis\tO\n")
    assert pairs(tagged(tabs)) == [[("New York", "B-LOC")], [("is", "O")]]
    blanks = written(f"{first}\n\nYork B-LOC\n\n{first}\n\nis O\n", "blanks.conll")
    assert pairs(tagged(blanks)) == [[("York", "B-LOC")], [("is", "O")]]
    words = written(f"{first}\n\nYork\n\n{first}\n\nis\n", "words.txt")
    assert [row.words for row in read_words(str(words), Columns(0, -1))] == [["York"], ["is"]]


def test_only_the_whole_word_is_the_start_of_a_document(written):
    assert tagged(written("-DOCSTART-s\tO\n-DOCSTART\tO\n"))[0].words == [
        "-DOCSTART-s",
        "-DOCSTART",
    ]


@pytest.mark.parametrize("read", [tagged, lambda path: read_words(str(path), Columns(0, -1))])
@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_comment_without_a_blank_is_refused_and_never_hides_the_columns(written, read, separator):
    with pytest.raises(InputError, match="Received: 2 in .*line 2.* a blank after the # of a com"):
        read(written(f"#comment\nEU{separator}B-ORG\n"))


def test_a_comment_begins_with_a_hash_and_a_blank_and_has_no_columns(written):
    comments = "# text = a b\n# id 7\tdomain=en\n"
    with_tabs = written(f"{comments}#\tO\n#b\tB-X\n\n# newdoc\nc\tO\n")
    assert pairs(tagged(with_tabs)) == [[("#", "O"), ("#b", "B-X")], [("c", "O")]]
    with_blanks = written(f"{comments}a _ _ O\n# _ _ B-X\n", "blanks.conll")
    assert pairs(tagged(with_blanks)) == [[("a", "O"), ("#", "B-X")]]
    words = written(f"{comments}#b\n# newdoc\n#\n", "words.txt")
    assert read_words(str(words), Columns(0, -1))[0].words == ["#b", "#"]


def test_a_comment_that_looks_like_a_word_is_said_to_be_one(written, capsys):
    path = written("# doc1\na O\n\n# doc2\nb O\n")
    assert pairs(tagged(path)) == [[("#", "doc1"), ("a", "O")], [("#", "doc2"), ("b", "O")]]
    said = "'#', not for comments, as they have 2 columns: 2, the first in line 1."
    assert said in capsys.readouterr().err
    tagged(written("# doc1\na\tO\n#\tO\n"))
    tagged(written("# text = a\na O\n"))
    assert capsys.readouterr().err == ""


def test_a_word_that_may_be_taken_for_a_comment_is_said_to_be_left_out(written, capsys):
    assert pairs(tagged(written("a\tO\n# 5\tO\n"))) == [[("a", "O")]]
    assert "columns as words: 1, the first in line 2." in capsys.readouterr().err
    assert read_words(str(written("a\n# 5\n", "words.txt")), Columns(0, -1))[0].words == ["a"]
    assert "columns as words: 1, the first in line 2." in capsys.readouterr().err


def test_words_need_no_tags_to_be_predicted(written):
    path = written("the\n\u200b\nNew York\n\nship\n", "words.txt")
    sentences = read_words(str(path), columns_of(str(path), None, None))
    assert [sentence.words for sentence in sentences] == [["the", "\u200b", "New York"], ["ship"]]
    assert [sentence.lines for sentence in sentences] == [[1, 2, 3], [5]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.conll", "", "must hold words. Received: .*a.conll without any"),
        ("a.conll", "\n \n\t\n-DOCSTART- O\n", "must hold words"),
        ("a.iob2", "# only\n# comments\n", "must hold words"),
        ("a.conll", "port\nship\n", "needs a tag, .*none in .*a.conll, line 1. A file without"),
        ("a.conll", "port\tO\nship\t\n", "needs a tag, .*none in .*a.conll, line 2"),
        ("a.conll", "port O\n\nNew York B-LOC\n", "columns as the first, 2. Received: 3 .*line 3"),
        ("a.conll", "port O\nship\n", "Received: 1 in .*line 2"),
        ("a.conll", "port\tO\nNew York\n", "Received: 1 in .*line 2"),
        ("a.iob2", "port\tO\n", "begin with the number of its word and a tab. .*'port.*line 1"),
        ("a.conllu", "1\tport\tO\n", "Received: 3 for .*line 1, which has 3"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(written, name, text, message):
    with pytest.raises(InputError, match=message):
        tagged(written(text, name))


@pytest.mark.parametrize(("token_column", "tag_column"), [(2, None), (-3, None), (None, 2)])
def test_a_column_that_is_not_there_is_refused(written, token_column, tag_column):
    with pytest.raises(InputError, match="count the columns from 0, .* which has 2"):
        tagged(written("port O\n"), token_column, tag_column)


@pytest.mark.parametrize("line", ["Rome B-LOC\t", "New York\tB-LOC"])
def test_a_tab_between_columns_that_blanks_part_is_refused(written, line):
    with pytest.raises(InputError, match=r"by tabs in all lines or in none.*, line 2"):
        tagged(written(f"Ann B-PER\n{line}\n"))


WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r "), min_size=1)
ROWS = st.lists(st.tuples(WORD.filter(lambda w: w != "-DOCSTART-"), WORD), min_size=1)


@settings(max_examples=50)
@given(st.lists(ROWS, min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, sentences):
    path = tmp_path_factory.getbasetemp() / "written.conll"
    tags = [[tag for _, tag in rows] for rows in sentences]
    words = [Sentence([word for word, _ in rows], [], []) for rows in sentences]
    text = column_text(words, tags)
    path.write_bytes(text.encode())
    assert pairs(tagged(path)) == sentences
    assert len(re.findall("\n", text)) == sum(map(len, sentences)) + len(sentences)
