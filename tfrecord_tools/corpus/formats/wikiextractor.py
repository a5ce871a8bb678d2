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
_DOC = re.compile(r"<doc [^>]*>\n(.*?)</doc>", re.DOTALL)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_LINK = re.compile(r"\s*\[https?://[^\]\s]*\]")
# What is left of "(Georgian: …)" after WikiExtractor dropped the template inside.
_HOLLOW_BRACKETS = re.compile(r"\s*\([\s,;]*\)")


def document_end(head: bytes) -> re.Pattern[bytes]:
    is_json = _JSON.match(head.decode("utf-8", "ignore"))
    return json_lines.document_end(head) if is_json else _ARTICLE_END


def read(text: str, source: str, first_line: int, settings) -> Iterator[tuple[int, list[str]]]:
    """Yields the passages of each article; raises InputError for an article without its end."""
    articles = _json_articles if _JSON.match(text) else doc_articles
    for number, body in articles(text.replace("\r\n", "\n"), source, first_line):
        yield number, passages(body, settings.min_passage_length)


def doc_articles(text: str, source: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """Yields each article between `<doc …>` and `</doc>`: the number of its line, and its body."""
    opened, closed = text.count("<doc "), text.count("</doc>")
    if opened != closed:
        raise InputError(
            "a WikiExtractor file must close every <doc …> by </doc>: received "
            f"{opened} and {closed} of them in {source}, from line {first_line} on; it is cut off, "
            "extract it again"
        )
    if not opened and text.strip():
        raise InputError(
            "a WikiExtractor file must hold <doc …> or JSON: received neither in "
            f"{source}, line {first_line}; another --input_format may suit it"
        )
    number, position = first_line, 0
    for article in _DOC.finditer(text):
        number += text.count("\n", position, article.start())
        position = article.start()
        yield number, _without_first_line(article[1])


def _json_articles(text: str, source: str, first_line: int) -> Iterator[tuple[int, str]]:
    for number, fields in json_lines.read_objects(text, source, first_line):
        body = json_lines.text_of(fields, "text", source, number)
        title = str(fields.get("title", "")).strip()
        starts_with_title = body.partition("\n")[0].strip() == title
        yield number, _without_first_line(body) if starts_with_title else body


def _without_first_line(article: str) -> str:
    return article.partition("\n")[2]


def passages(body: str, min_passage_length: int) -> list[str]:
    """Returns the lines of an article that are long enough for running text, without markup."""
    lines = map(_clean_passage, body.split("\n"))
    return [line for line in lines if len(line) >= min_passage_length]


def _clean_passage(line: str) -> str:
    line = _TAG.sub("", html.unescape(line))
    return " ".join(_HOLLOW_BRACKETS.sub("", _LINK.sub("", line)).split())
