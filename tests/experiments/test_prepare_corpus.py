"""The corpus of a hand-made Wikipedia file and a hand-made book, sentence for sentence."""

import pytest

from bert_keras.errors import InputError
from experiments.prepare_corpus import (
    Settings,
    book_documents,
    documents,
    is_held_out,
    prepare_corpus,
)

WIKIPEDIA = """<doc id="1" url="http://example.org/?curid=1" title="Ada Lovelace">
Ada Lovelace

Ada Lovelace () was a mathematician &amp; writer (, ) of London. Dr. Babbage met her in 1833.<br>
Early life.
• Ockham Park
She was taught by Mary Somerville at home [http://example.org/source]. They wrote letters.

</doc>
<doc id="2" url="http://example.org/?curid=2" title="Ada">
Ada

Ada may refer to:

</doc>
"""

BOOK = """The Project Gutenberg EBook of A Walk

*** START OF THIS PROJECT GUTENBERG EBOOK A WALK ***



CHAPTER I. THE ROAD

We walked along the
_old_ road.  "Is it far?" asked
Mrs. Brown.

It was not.


The inn was open.



[Illustration: The
inn]

CHAPTER II. THE INN

We slept well.

*** END OF THIS PROJECT GUTENBERG EBOOK A WALK ***
This license is long.
"""


def settings(folder, *names, **changes):
    return Settings(
        input_file=[str(folder / name) for name in names],
        output_dir=str(folder / "corpus"),
        **changes,
    )


def test_chapters_of_a_book_are_documents_without_hard_wraps_headings_and_license():
    assert list(book_documents(BOOK))[1:] == [
        ['We walked along the old road. "Is it far?" asked Mrs. Brown.', "It was not."]
        + ["The inn was open."],
        ["We slept well."],
    ]


def test_a_document_is_a_list_of_sentences(tmp_path):
    assert list(documents(BOOK, settings(tmp_path), "book.txt")) == [
        [
            "We walked along the old road.",
            '"Is it far?" asked Mrs. Brown.',
            "It was not.",
            "The inn was open.",
        ]
    ]


def test_files_hold_a_sentence_a_line_and_an_empty_line_after_a_document(tmp_path):
    (tmp_path / "wiki_00").write_text(WIKIPEDIA, encoding="utf-8")
    (tmp_path / "book.txt").write_bytes(BOOK.replace("\n", "\r\n").encode("utf-8-sig"))
    summaries = prepare_corpus(settings(tmp_path, "*.txt", "wiki_*", held_out_share=0.0))
    assert (tmp_path / "corpus/train.txt").read_text(encoding="utf-8") == (
        "We walked along the old road.\n"
        '"Is it far?" asked Mrs. Brown.\n'
        "It was not.\n"
        "The inn was open.\n"
        "\n"
        "Ada Lovelace was a mathematician & writer of London.\n"
        "Dr. Babbage met her in 1833.\n"
        "She was taught by Mary Somerville at home.\n"
        "They wrote letters.\n"
        "\n"
    )
    assert (summaries["train"].documents, summaries["train"].sentences) == (2, 8)
    assert (tmp_path / "corpus/held_out.txt").read_text() == ""


def test_a_blank_line_before_an_article_is_passed_over(tmp_path):
    (tmp_path / "wiki_00").write_text("\n " + WIKIPEDIA, encoding="utf-8")
    prepare_corpus(settings(tmp_path, "wiki_00", held_out_share=0.0))
    assert "<doc" not in (tmp_path / "corpus/train.txt").read_text(encoding="utf-8")


def test_an_input_is_not_overwritten(tmp_path):
    (tmp_path / "corpus").mkdir()
    source = tmp_path / "corpus" / "train.txt"
    source.write_text(WIKIPEDIA, encoding="utf-8")
    with pytest.raises(InputError, match="must not hold .*train.txt; give another folder"):
        prepare_corpus(settings(tmp_path, "corpus/*.txt"))
    assert source.read_text(encoding="utf-8") == WIKIPEDIA


def test_held_out_documents_stay_held_out_when_the_share_grows():
    articles = [[f"Article {number} is short."] for number in range(2000)]
    small, large = ({a[0] for a in articles if is_held_out(a, share)} for share in (0.03, 0.1))
    assert small < large
    assert 30 < len(small) < 90


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            WIKIPEDIA[:200].encode(),
            "wiki_00, from line 1 on, holds 1 of the one and 0 of the other",
        ),
        (b"One.\nCaf\xe9.\n", "wiki_00, line 2, holds the byte 0xe9"),
        (b"One sentence.\n", "received none in 1 files"),
    ],
    ids=["cut off", "not UTF-8", "no running text"],
)
def test_a_bad_file_is_named_and_nothing_is_left_behind(tmp_path, content, message):
    (tmp_path / "wiki_00").write_bytes(content)
    with pytest.raises(InputError, match=message):
        prepare_corpus(settings(tmp_path, "wiki_00"))
    assert list((tmp_path / "corpus").iterdir()) == []
