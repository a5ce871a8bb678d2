"""A hand-made Wikipedia file, passage for passage."""

import json

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus.formats import wikiextractor
from tfrecord_tools.corpus.settings import CorpusSettings

LOVELACE = """Ada Lovelace

Ada Lovelace () was a mathematician &amp; writer (, ) of London. Dr. Babbage met her in 1833.<br>
Early life.
• Ockham Park
She was taught by Mary Somerville at home [http://example.org/source]. They wrote letters.
"""
WIKIPEDIA = f"""<doc id="1" url="http://example.org/?curid=1" title="Ada > Lovelace">
{LOVELACE}
</doc>
<doc id="2" url="http://example.org/?curid=2" title="Ada">
Ada

Ada may refer to:

</doc>
"""
PASSAGES = [
    "Ada Lovelace was a mathematician & writer of London. Dr. Babbage met her in 1833.",
    "She was taught by Mary Somerville at home. They wrote letters.",
]


def read(text, **settings):
    settings = CorpusSettings(input_file=["a"], input_format="wikiextractor", **settings)
    return list(wikiextractor.read(text, "wiki_00", 101, settings))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_passages_are_kept_and_headings_markup_and_lists_are_not(line_end):
    assert read(WIKIPEDIA.replace("\n", line_end)) == [(101, PASSAGES), (110, [])]


def test_a_blank_line_before_an_article_is_passed_over():
    assert read("\n " + WIKIPEDIA)[0] == (102, PASSAGES)


def test_the_least_length_of_a_passage_is_a_flag():
    assert read(WIKIPEDIA, min_passage_length=1)[1] == (110, ["Ada may refer to:"])


@pytest.mark.parametrize(
    "text", [LOVELACE, LOVELACE.partition("\n")[2]], ids=["with title", "without"]
)
def test_json_lines_give_the_same(text):
    articles = [{"id": "1", "title": "Ada Lovelace", "text": text}, {"text": ""}]
    lines = "".join(json.dumps(article) + "\n" for article in articles)
    assert read(lines) == [(101, PASSAGES), (102, [])]
    assert read(lines, min_passage_length=1)[0][1][0] == PASSAGES[0]


def test_a_title_is_dropped_from_json_too():
    line = json.dumps({"title": "Port", "text": "Port\n\nThe port is large."})
    assert read(line, min_passage_length=1) == [(101, ["The port is large."])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WIKIPEDIA[:200], "wiki_00, from line 101 on, holds 1 of the one and 0 of the other"),
        ("The port.\n", "wiki_00, from line 101 on, holds neither"),
        ('{"title": "Port"}', "wiki_00, line 101, it is not there. The fields are 'title'"),
    ],
    ids=["cut off", "plain text", "no text"],
)
def test_what_is_not_of_the_format_is_named(text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_long_runs_of_blanks_and_brackets_take_no_time():
    for run in (" ", "( ", "<a", "["):
        read(f"<doc id='1'>\nPort\n{run * 300_000}\n</doc>\n")
