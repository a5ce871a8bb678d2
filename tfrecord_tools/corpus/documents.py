"""Blocks of a corpus -> documents of sentences. Runs in workers, and loads no TensorFlow."""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tfrecord_tools.corpus.blocks import Block
from tfrecord_tools.corpus.decoding import LEFT_OUT, decode
from tfrecord_tools.corpus.formats import FORMATS, Format
from tfrecord_tools.corpus.sentence_splitting import split_sentences
from tfrecord_tools.corpus.settings import CorpusSettings


class Document(NamedTuple):
    """A document, or a part of one that was cut: the parts have the same source and line."""

    sentences: list[str]
    source: str
    line: int  # where the document begins in the source, from 1


def documents_of(
    block: Block, settings: CorpusSettings, report_invalid_lines: Callable[[int], None]
) -> Iterator[Document]:
    """Yields the documents of a block that have a sentence.

    Args:
      block: from `tfrecord_tools.corpus.blocks.read_blocks` of the same settings.
      settings: those of the program.
      report_invalid_lines: is told how many lines of the block are not UTF-8, if any.

    Raises:
      InputError: what the block holds is not of the format; file and line are named.
    """
    format_ = FORMATS["jsonl" if settings.tfds else settings.input_format]
    text = block_text(block, settings, report_invalid_lines)
    for number, lines in format_.read(text, block.source, block.first_line, settings):
        line = block.document_line if number == block.first_line else number
        if sentences := _sentences(lines, format_, settings):
            yield Document(sentences, block.source, line)


def block_text(
    block: Block, settings: CorpusSettings, report_invalid_lines: Callable[[int], None]
) -> str:
    """Returns the text of a block, without the byte order mark; raises InputError as decode does.

    The mark stays in BERT's format: a line of it alone is not empty for the original.
    """
    text = decode(
        block.data, block.source, block.first_line, settings.encoding_errors, report_invalid_lines
    )
    if block.first_line == 1 and settings.input_format != "sentences":
        text = text.removeprefix("\ufeff")
    return text


def _sentences(lines: list[str], format_: Format, settings: CorpusSettings) -> list[str]:
    lines = [line for line in lines if line != LEFT_OUT]
    if settings.keep_lines or format_.is_sentence_a_line:
        return list(filter(None, lines))
    passages = _joined_paragraphs(lines) if format_.is_hard_wrapped else lines
    return split_sentences(passages, settings.language)


def _joined_paragraphs(lines: list[str]) -> list[str]:
    groups = itertools.groupby(lines, key=bool)
    return [" ".join(paragraph) for has_text, paragraph in groups if has_text]
