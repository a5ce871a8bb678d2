"""Words and their tags in columns, a word a line, a blank line after each sentence.

The formats of the CoNLL shared tasks, of Universal NER (`.iob2`) and of Universal Dependencies
(`.conllu`). Tabs part the columns, or blanks if the line of the first word has no tab. Other white
space may be in a word. A line of tabs and blanks alone, as WNUT 2017 has them, is a blank line.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.files import read_text
from bert_keras.notices import notify

_DOCUMENT_START = re.compile(r" *-DOCSTART-(?![^ \t])")  # between documents of CoNLL-2003, no word
_NO_WORD = re.compile(r"\d+[-.]\d+")  # CoNLL-U: several words written as one, a word left out


class Columns(NamedTuple):
    """Which columns hold the words and the tags, from 0; negative ones count from the last."""

    words: int
    tags: int


class Sentence(NamedTuple):
    """Its words in order; the tag of each (none if they were not read); the line of each."""

    words: list[str]
    tags: list[str]
    lines: list[int]


class _Row(NamedTuple):
    line: int
    text: str
    columns: list[str]


# In these formats a number stands before each word, and "#" begins a comment.
NUMBERED = {".conllu": Columns(words=1, tags=3), ".iob2": Columns(words=1, tags=2)}
PLAIN = Columns(words=0, tags=-1)


def columns_of(path: str, token_column: int | None, tag_column: int | None) -> Columns:
    """The columns that are asked for; None is what the ending of the file's name says."""
    usual = NUMBERED.get(_ending(path), PLAIN)
    return Columns(
        usual.words if token_column is None else token_column,
        usual.tags if tag_column is None else tag_column,
    )


def read_words(path: str, columns: Columns) -> list[Sentence]:
    """The sentences of a file, whether it has tags or not.

    Raises:
        InputError: no word in the file, a line with more or fewer columns than the others, a line
            without number in a numbered format, no such column.
    """
    return [_untagged(path, rows, columns) for rows in _sentences(path)]


def read_tagged(path: str, columns: Columns) -> list[Sentence]:
    """The sentences of a file, with tags.

    Raises:
        InputError: a word without a tag; and as for `read_words`.
    """
    return [_tagged(path, rows, columns) for rows in _sentences(path)]


def column_text(sentences: Sequence[Sentence], tags: Sequence[Sequence[str]]) -> str:
    """The words of sentences, each with its tag after a tab: a file that `read_tagged` reads."""
    return "".join(
        "".join(f"{word}\t{tag}\n" for word, tag in zip(sentence.words, of_words, strict=True))
        + "\n"
        for sentence, of_words in zip(sentences, tags, strict=True)
    )


def _untagged(path: str, rows: Sequence[_Row], columns: Columns) -> Sentence:
    return Sentence(_column(path, rows, columns.words), [], [row.line for row in rows])


def _tagged(path: str, rows: Sequence[_Row], columns: Columns) -> Sentence:
    sentence = _untagged(path, rows, columns)
    tags = _column(path, rows, columns.tags)
    if (columns.words - columns.tags) % len(rows[0].columns) == 0:  # both are the same column
        tags = [""] * len(tags)
    if "" in tags:
        raise InputError(
            f"Each word needs a tag, in column {columns.tags} (from 0). Received: none in {path}, "
            f"line {sentence.lines[tags.index('')]}. A file without tags can only be predicted."
        )
    return sentence._replace(tags=tags)


def _sentences(path: str) -> list[list[_Row]]:
    """The lines that hold words, those of a sentence together, all with as many columns."""
    # Only the line feed ends a line: words may hold what `str.splitlines` takes for an end.
    texts = [text.removesuffix("\r") for text in read_text(path).split("\n")]
    is_numbered = _ending(path) in NUMBERED
    separator = "\t" if is_numbered else _separator(texts)
    lines = [_Row(line, text, _split(text, separator)) for line, text in enumerate(texts, start=1)]
    rows_of = _rows_of_numbered if is_numbered else _rows_of_plain
    sentences: list[list[_Row]] = [[]]
    for row in rows_of(path, lines):
        if _ends_sentence(row):
            sentences.append([])
        else:
            sentences[-1].append(row)
    sentences = [rows for rows in sentences if rows]
    _check_tabs(path, sentences)
    if not sentences:
        raise InputError(f"A file to be tagged must hold words. Received: {path} without any")
    _check_same_number_of_columns(path, sentences)
    return sentences


def _rows_of_numbered(path: str, lines: Sequence[_Row]) -> Iterator[_Row]:
    """Yields the lines of words and those that end a sentence."""
    for row in lines:
        if _ends_sentence(row) or row.columns[0].isdecimal():
            yield row
        elif not row.text.startswith("#") and not _NO_WORD.fullmatch(row.columns[0]):
            raise InputError(
                f"A line of {_ending(path)} must begin with the number of its word and a tab. "
                f"Received: {row.text!r} in {path}, line {row.line}. Give a file without such "
                "numbers another ending."
            )


def _rows_of_plain(path: str, lines: Sequence[_Row]) -> Iterator[_Row]:
    """Yields the lines of words and those that end a sentence.

    Words may begin with "#", or be it. What begins with "# " is a comment, but where it is made of
    columns between blanks as the words are. A notice says where there may be doubt.
    """
    words = (row for row in lines if not _ends_sentence(row) and not row.text.startswith("# "))
    num_columns = next((len(row.columns) for row in words), 0)
    doubtful, left_out = [], []
    for row in lines:
        if row.text.startswith("# "):
            is_like_words = len(row.columns) == num_columns
            if "\t" in row.text or not is_like_words or num_columns == 1:
                left_out += [row] * is_like_words
                continue
            doubtful.append(row)
        yield row
    if left_out:
        notify(
            f"{path}: lines that begin with '# ' are left out as comments, though they have as "
            f"many columns as words: {len(left_out)}, the first in line {left_out[0].line}."
        )
    if doubtful:
        notify(
            f"{path}: lines that begin with '# ' are taken for the word '#', not for comments, as "
            f"they have {num_columns} columns: {len(doubtful)}, the first in line "
            f"{doubtful[0].line}. Tabs between the columns of words would tell."
        )


def _ends_sentence(row: _Row) -> bool:
    return not row.text.strip(" \t") or _DOCUMENT_START.match(row.text) is not None


def _check_tabs(path: str, sentences: Sequence[Sequence[_Row]]) -> None:
    for row in (row for rows in sentences for row in rows):
        if any("\t" in column for column in row.columns):
            raise InputError(
                "Columns are parted by tabs in all lines or in none. Received: "
                f"{row.text!r} in {path}, line {row.line}; blanks part those before it."
            )


def _check_same_number_of_columns(path: str, sentences: Sequence[Sequence[_Row]]) -> None:
    num_columns = len(sentences[0][0].columns)
    for row in (row for rows in sentences for row in rows):
        if len(row.columns) != num_columns:
            raise InputError(
                f"All lines must have as many columns as the first, {num_columns}. Received: "
                f"{len(row.columns)} in {path}, line {row.line}. Put tabs between the columns "
                "where a word holds blanks, and a blank after the # of a comment."
            )


def _column(path: str, rows: Sequence[_Row], index: int) -> list[str]:
    num_columns = len(rows[0].columns)
    if not -num_columns <= index < num_columns:
        raise InputError(
            "--token_column and --tag_column count the columns from 0, or backwards from -1. "
            f"Received: {index} for {path}, line {rows[0].line}, which has {num_columns}"
        )
    return [row.columns[index] for row in rows]


def _separator(texts: Sequence[str]) -> str:
    """What parts the columns, as the line of the first word shows.

    That is tabs, else blanks, else nothing: words alone may hold blanks. What begins with "#" may
    be a comment, so it is asked last.
    """
    lines = [text for text in texts if text.strip(" \t") and not _DOCUMENT_START.match(text)]
    words = [text for text in lines if not text.startswith("#")]
    first = next(iter(words or [text for text in lines if not text.startswith("# ")]), "")
    return next((mark for mark in ("\t", " ") if mark in first.strip(" ")), "\n")


def _split(text: str, separator: str) -> list[str]:
    columns = [column.strip(" ") for column in text.split(separator)]
    return [column for column in columns if column] if separator == " " else columns


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()
