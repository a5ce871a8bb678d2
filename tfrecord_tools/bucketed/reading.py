"""Corpus -> tokenized documents in files of the work folder, each in the order of their keys."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from bert_keras.progress import Progress
from bert_keras.tokenizers.vocabulary import UNKNOWN
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.bucketed.documents import (
    Documents,
    concatenate,
    sort_by_key,
    write_documents,
)
from tfrecord_tools.bucketed.pairing import NUM_SPECIAL_TOKENS
from tfrecord_tools.bucketed.tokenization import document_tokenizer, tokenize_documents
from tfrecord_tools.bucketed.work_folder import WorkFolder
from tfrecord_tools.corpus.blocks import BLOCK_BYTES, Block, read_blocks
from tfrecord_tools.corpus.decoding import notify_of_invalid_lines
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import num_input_bytes
from tfrecord_tools.counts import Counts
from tfrecord_tools.record_settings import RecordSettings
from tfrecord_tools.workers import Workers

TOKENS_A_FILE = 1 << 20  # 5 MB, and five times that while they are sorted
MOST_BLOCKS_A_TASK = 256
ALL_DOCUMENTS = "documents"


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The tokenized documents of a work folder."""

    num_files: int
    counts: Counts


def documents_file(number: int) -> str:
    return f"documents-{number:05}"


def read_corpus(settings: RecordSettings, work: WorkFolder, workers: Workers) -> Corpus:
    """Tokenizes the corpus into files; goes on where an earlier build stopped.

    Raises:
      InputError: the corpus cannot be read.
    """
    if not _is_read(work):
        _read_corpus(settings, work, workers)
    done = work.read(ALL_DOCUMENTS)
    return Corpus(done["num_files"], Counts(**done["counts"]))


def _is_read(work: WorkFolder) -> bool:
    if not work.has(ALL_DOCUMENTS):
        return False
    num_files = work.read(ALL_DOCUMENTS)["num_files"]
    return all(work.has(documents_file(number)) for number in range(num_files))


def _read_corpus(settings: RecordSettings, work: WorkFolder, workers: Workers) -> None:
    num_files, num_blocks_done, counts = _finished_files(work)
    with Progress("reading", num_input_bytes(settings), "B") as progress:
        blocks = itertools.islice(read_blocks(settings, progress.advance), num_blocks_done, None)
        parts = workers.run(block_tokenizer, (settings,), _tasks(blocks))
        for documents, of_file, num_blocks in _in_files(parts):
            num_blocks_done += num_blocks
            counts += of_file
            with work.writing(documents_file(num_files), "") as ([path], content):
                write_documents(sort_by_key(documents), path)
                content.update(num_blocks_done=num_blocks_done, counts=dataclasses.asdict(counts))
            num_files += 1
    notify_of_invalid_lines(counts.num_invalid_lines, settings.encoding_errors)
    with work.writing(ALL_DOCUMENTS) as (_, content):
        content.update(num_files=num_files, counts=dataclasses.asdict(counts))


def block_tokenizer(
    settings: RecordSettings,
) -> Callable[[list[Block]], tuple[Documents, Counts, int]]:
    """The function that tokenizes blocks, for a worker: their documents, counts and number."""
    tokenizer = WordPieceTokenizer(settings.vocab_file, do_lower_case=settings.do_lower_case)
    tokenize = document_tokenizer(tokenizer, settings.segmenter)
    unknown_id = tokenizer.vocab[UNKNOWN]
    longest = settings.max_seq_length - NUM_SPECIAL_TOKENS[settings.pairs]

    def tokenize_blocks(blocks: list[Block]) -> tuple[Documents, Counts, int]:
        invalid_lines: list[int] = []
        texts = [
            text for block in blocks for text in documents_of(block, settings, invalid_lines.append)
        ]
        documents = tokenize_documents(tokenize, texts)
        counts = Counts(
            num_documents=documents.num_documents,
            num_sentences=documents.num_sentences,
            num_tokens=documents.num_tokens,
            num_over_long_sentences=int((np.diff(documents.first_tokens) > longest).sum()),
            num_unknown_tokens=int((documents.tokens == unknown_id).sum()),
            num_invalid_lines=sum(invalid_lines),
        )
        return documents, counts, len(blocks)

    return tokenize_blocks


def _tasks(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Joins the blocks of small files, so that a task is about a megabyte in any case."""
    held: list[Block] = []
    for block in blocks:
        held.append(block)
        if sum(len(block.data) for block in held) >= BLOCK_BYTES or len(held) == MOST_BLOCKS_A_TASK:
            yield held
            held = []
    if held:
        yield held


def _finished_files(work: WorkFolder) -> tuple[int, int, Counts]:
    """Number of files that are there, of blocks in them, and the counts up to there."""
    for number in itertools.count():
        if not work.has(documents_file(number)):
            break
    if number == 0:
        return 0, 0, Counts()
    last = work.read(documents_file(number - 1))
    return number, last["num_blocks_done"], Counts(**last["counts"])


def _in_files(
    parts: Iterable[tuple[Documents, Counts, int]],
) -> Iterator[tuple[Documents, Counts, int]]:
    """Joins the documents of tasks to what one file takes, with the number of blocks."""
    held: list[Documents] = []
    counts, num_blocks = Counts(), 0
    for documents, of_task, num_blocks_of_task in parts:
        held.append(documents)
        counts += of_task
        num_blocks += num_blocks_of_task
        if counts.num_tokens >= TOKENS_A_FILE:
            yield concatenate(held), counts, num_blocks
            held, counts, num_blocks = [], Counts(), 0
    yield concatenate(held), counts, num_blocks
