"""What WikiExtractor writes: `<doc …>` around each article, or (with --json) an object a line.

In an article the title comes first, then a paragraph, heading or list item a line. As in section
3.1 of the BERT paper (arXiv:1810.04805) only the running text is kept: short lines go.
"""

import html
import re
from collections.abc import Iterator

from bert_keras.errors import InputError
from tfrecord_tools.corpus.formats import json_lines

_JSON = re.compile(r"\ufeff?\s*\{")
_ARTICLE_END = re.compile(rb"</doc>[^\n]*\n")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# With the blank before, written so that the search jumps from one first character to the next.
_LINK = re.compile(r" \[https?://[^\]\s]*\]|\[https?://[^\]\s]*\]")
# What is left of "(Georgian: …)" after WikiExtractor dropped the template inside.
_HOLLOW_BRACKETS = re.compile(r" \([ ,;]*\)|\([ ,;]*\)")


def document_end(head: bytes) -> re.Pattern[bytes]:
    is_json = _JSON.match(head[:1000].decode("utf-8", "ignore"))
    return json_lines.document_end(head) if is_json else _ARTICLE_END


def read(text: str, source: str, first_line: int, settings) -> Iterator[tuple[int, list[str]]]:
    """Yields the passages of each article; raises InputError for an article without its end."""
    if _JSON.match(text):
        articles = _json_articles(text, source, first_line, settings.text_field)
    else:
        articles = doc_articles(text.replace("\r\n", "\n"), source, first_line)
    for number, body in articles:
        yield number, passages(body, settings.min_passage_length)


def doc_articles(text: str, source: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """Yields each article between `<doc …>` and `</doc>`: the number of its line, and its body."""
    opened, closed = text.count("<doc "), text.count("</doc>")
    if opened != closed:
        raise InputError(
            f"Every <doc …> of a WikiExtractor file must be closed by </doc>; {source}, from line "
            f"{first_line} on, holds {opened} of the one and {closed} of the other. It is cut off: "
            "extract it again."
        )
    if not opened and text.strip():
        raise InputError(
            f"A WikiExtractor file must hold <doc …> or JSON; {source}, from line {first_line} on, "
            "holds neither. Give another --input_format, or extract it again."
        )
    number = first_line
    for piece in text.split("</doc>")[:-1]:
        before, _, article = piece.partition("<doc ")
        number += before.count("\n")
        yield number, "".join(article.split("\n", maxsplit=2)[2:])  # without tag and title
        number += article.count("\n")


def _json_articles(
    text: str, source: str, first_line: int, text_field: str
) -> Iterator[tuple[int, str]]:
    for number, fields in json_lines.read_objects(text, source, first_line):
        body = json_lines.text_of(fields, text_field, source, number)
        first, _, rest = body.partition("\n")
        yield number, rest if first.strip() == fields.get("title") else body


def passages(body: str, min_passage_length: int) -> list[str]:
    """Returns the lines of an article that are long enough for running text, without markup."""
    lines = (line for line in body.split("\n") if len(line) >= min_passage_length)
    return [line for line in map(_clean, lines) if len(line) >= min_passage_length]


def _clean(line: str) -> str:
    line = " ".join(_TAG.sub("", html.unescape(line)).split())
    return _HOLLOW_BRACKETS.sub("", _LINK.sub("", line)).strip()
