"""Corpus -> tokenized documents in files of the work folder, each in the order of their keys."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator

from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.bucketed.documents import (
    Documents,
    concatenate,
    sort_by_key,
    write_documents,
)
from tfrecord_tools.bucketed.pairing import NUM_SPECIAL_TOKENS
from tfrecord_tools.bucketed.tokenization import document_tokenizer, tokenize_document
from tfrecord_tools.bucketed.work_folder import WorkFolder
from tfrecord_tools.corpus.blocks import Block, read_blocks
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import num_input_bytes
from tfrecord_tools.counts import Counts
from tfrecord_tools.progress import Progress
from tfrecord_tools.workers import Workers

TOKENS_A_FILE = 1 << 20  # 5 MB, and five times that while they are sorted
READING_DONE = "documents.json"


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The tokenized documents of a work folder."""

    num_files: int
    counts: Counts


def documents_file(number: int) -> str:
    return f"documents-{number:05}"


def read_corpus(settings, work: WorkFolder, workers: Workers) -> Corpus:
    """Tokenizes the corpus into files; goes on where an earlier build stopped.

    Raises:
      InputError: the corpus cannot be read.
    """
    if not work.has(READING_DONE):
        _read_corpus(settings, work, workers)
    done = work.read(READING_DONE)
    return Corpus(done["num_files"], Counts(**done["counts"]))


def _read_corpus(settings, work: WorkFolder, workers: Workers) -> None:
    num_files, num_blocks_done, counts = _finished_files(work)
    with Progress("reading", num_input_bytes(settings), "B") as progress:
        blocks = itertools.islice(read_blocks(settings, progress.advance), num_blocks_done, None)
        parts = workers.run(tokenize_blocks, (settings,), blocks)
        for documents, num_blocks in _in_files(parts):
            num_blocks_done += num_blocks
            counts += count_corpus(documents, settings)
            name = documents_file(num_files)
            with work.writing(name) as path:
                write_documents(sort_by_key(documents), path)
            content = {"num_blocks_done": num_blocks_done, "counts": dataclasses.asdict(counts)}
            work.write(f"{name}.json", content)
            num_files += 1
    work.write(READING_DONE, {"num_files": num_files, "counts": dataclasses.asdict(counts)})


def tokenize_blocks(settings) -> Callable[[Block], Documents]:
    """The function that tokenizes a block, for a worker."""
    tokenizer = WordPieceTokenizer(settings.vocab_file, do_lower_case=settings.do_lower_case)
    tokenize = document_tokenizer(tokenizer, settings.segmenter)

    def tokenize_block(block: Block) -> Documents:
        return concatenate(
            tokenize_document(tokenize, document.sentences, f"{document.source}:{document.line}")
            for document in documents_of(block, settings)
        )

    return tokenize_block


def _finished_files(work: WorkFolder) -> tuple[int, int, Counts]:
    """Number of files that are there, of blocks in them, and the counts up to there."""
    for number in itertools.count():
        if not work.has(f"{documents_file(number)}.json"):
            break
    if number == 0:
        return 0, 0, Counts()
    last = work.read(f"{documents_file(number - 1)}.json")
    return number, last["num_blocks_done"], Counts(**last["counts"])


def _in_files(parts: Iterable[Documents]) -> Iterator[tuple[Documents, int]]:
    """Joins the documents of blocks to what one file takes, with the number of blocks."""
    held: list[Documents] = []
    for part in parts:
        held.append(part)
        if sum(documents.num_tokens for documents in held) >= TOKENS_A_FILE:
            yield concatenate(held), len(held)
            held = []
    yield concatenate(held), len(held)


def count_corpus(documents: Documents, settings) -> Counts:
    """What a part of the corpus holds."""
    lengths = documents.first_tokens[1:] - documents.first_tokens[:-1]
    longest = settings.max_seq_length - NUM_SPECIAL_TOKENS[settings.pairs]
    return Counts(
        num_documents=documents.num_documents,
        num_sentences=documents.num_sentences,
        num_tokens=documents.num_tokens,
        num_over_long_sentences=int((lengths > longest).sum()),
    )
