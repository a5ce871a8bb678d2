"""Words of a corpus, counted in several processes. Memory does not grow with the corpus."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tokenizers.basic import BasicTokenizer, chunks
from tfrecord_tools.corpus.blocks import Block, read_blocks
from tfrecord_tools.corpus.decoding import notify_of_invalid_lines
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import CorpusSettings, corpus_name, num_input_bytes
from tfrecord_tools.workers import Workers

MAX_WORDS = 1 << 21  # distinct ones that are held at a time: about 300 MB


class WordTable:
    """Counts of the most frequent words: lossy counting (Manku and Motwani 2002, VLDB).

    Attributes:
      counts: word -> how often it came, less at most `max_missing`.
      num_words: of the whole text, each as often as it came.
      max_missing: a word that came more often than this is in `counts` for certain.
    """

    def __init__(self, max_words: int = MAX_WORDS):
        self.counts: Counter[str] = Counter()
        self.num_words = 0
        self.max_missing = 0
        self._max_words = max_words

    def add(self, counts: Mapping[str, int]) -> None:
        self.counts.update(counts)
        self.num_words += sum(counts.values())
        if len(self.counts) > self._max_words:
            self._drop_rarest()

    def _drop_rarest(self) -> None:
        """Drops all words of the lowest counts, so that at most half of the table is left."""
        num_left = len(self.counts)
        for count, num_words in sorted(Counter(self.counts.values()).items()):
            if num_left <= self._max_words // 2:
                break
            num_left -= num_words
            highest_dropped = count
        self.max_missing += highest_dropped
        self.counts = Counter({w: n for w, n in self.counts.items() if n > highest_dropped})


@dataclasses.dataclass(frozen=True)
class CorpusCounts:
    """What was counted in one corpus or several."""

    num_documents: int
    num_invalid_lines: int  # that are not UTF-8
    tables: dict[str, WordTable]  # name of a corpus -> its words

    @functools.cached_property
    def word_counts(self) -> Counter[str]:
        """The words of all together."""
        first, *others = [table.counts for table in self.tables.values()]
        if not others:
            return first
        words = first.copy()
        for counts in others:
            words.update(counts)
        return words


class BlockCounts(NamedTuple):
    """What was counted in one block."""

    corpus: str  # its name
    num_documents: int
    num_invalid_lines: int
    words: dict[str, int]  # word -> how often it came


def count_words(
    corpora: list[CorpusSettings],
    do_lower_case: bool,
    num_workers: int,
    max_words: int = MAX_WORDS,
) -> CorpusCounts:
    """Counts the words of each corpus. The result does not depend on the number of workers.

    A notice says how many lines are not UTF-8, and which rare words were not counted.

    Args:
      corpora: their input files; all else is as in the first.
      do_lower_case: as for `BasicTokenizer`.
      num_workers: number of processes; 1 is this one.
      max_words: distinct words that are held at a time, of all corpora together.

    Raises:
      InputError: a corpus cannot be read, or holds no word.
    """
    tables = {corpus_name(corpus): WordTable(max_words // len(corpora)) for corpus in corpora}
    num_documents = num_invalid_lines = 0
    sizes = [num_input_bytes(corpus) for corpus in corpora]
    total = None if None in sizes else sum(sizes)
    with Progress("counting words", total, "B") as progress, Workers(num_workers) as workers:
        tasks = _blocks(corpora, progress.advance)
        for block in workers.run(word_counter, (corpora[0], do_lower_case), tasks):
            tables[block.corpus].add(block.words)
            num_documents += block.num_documents
            num_invalid_lines += block.num_invalid_lines
    notify_of_invalid_lines(num_invalid_lines, corpora[0].encoding_errors)
    for name, table in tables.items():
        _check(name, table)
    return CorpusCounts(num_documents, num_invalid_lines, tables)


def _check(name: str, table: WordTable) -> None:
    if not table.num_words:
        raise InputError(f"The corpus must hold text; {name} holds no word.")
    if table.max_missing:
        notify(
            f"{name}: of rare words up to {table.max_missing} occurrences are not counted, to save "
            "memory"
        )


def word_counter(
    settings: CorpusSettings, do_lower_case: bool
) -> Callable[[tuple[str, Block]], BlockCounts]:
    """The function that counts the words of a block, for a worker."""
    tokenizer = BasicTokenizer(do_lower_case)

    def count_block(task: tuple[str, Block]) -> BlockCounts:
        """(name of the corpus, block) -> what is in the block."""
        name, block = task
        num_documents = 0
        invalid_lines: list[int] = []
        chunk_counts: Counter[str] = Counter()
        for document in documents_of(block, settings, invalid_lines.append):
            num_documents += 1
            chunk_counts.update(chunks("\n".join(document.sentences)))
        words: dict[str, int] = {}
        for chunk, count in chunk_counts.items():
            for word in tokenizer.split_chunk(chunk):
                words[word] = words.get(word, 0) + count
        return BlockCounts(name, num_documents, sum(invalid_lines), words)

    return count_block


def _blocks(
    corpora: list[CorpusSettings], report_bytes: Callable[[int], None]
) -> Iterator[tuple[str, Block]]:
    for corpus in corpora:
        for block in read_blocks(corpus, report_bytes):
            yield corpus_name(corpus), block
