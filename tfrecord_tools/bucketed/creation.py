"""The steps of the bucketed builder: corpus -> documents -> pieces -> shards.

Documents go to buckets by a hash of their tokens; each bucket gives a piece of records in every
round; shards are shuffles of all pieces. Every step depends on what went before and on the
settings, never on the number of workers, and leaves files that the next run of the same command
finds.
"""

import dataclasses
import hashlib
import json
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.data.masking_settings import Masking, masking_for
from bert_keras.errors import InputError
from bert_keras.files import move_file, read_bytes, write_text
from bert_keras.tokenizers.vocabulary import check_case, load_vocabulary
from tfrecord_tools.bucketed import pieces
from tfrecord_tools.bucketed.pairing import row_maker
from tfrecord_tools.bucketed.pieces import Piece, generator
from tfrecord_tools.bucketed.reading import Corpus, read_corpus
from tfrecord_tools.bucketed.shards import Share, merge, share_bounds
from tfrecord_tools.bucketed.work_folder import WorkFolder, describe_files
from tfrecord_tools.corpus.settings import STDIN, corpus_name, input_files
from tfrecord_tools.counts import Counts
from tfrecord_tools.outputs import (
    check_output_files,
    shard_names,
    split_output_files,
    summary_name,
)
from tfrecord_tools.progress import Progress
from tfrecord_tools.summary import Summary
from tfrecord_tools.workers import WorkerDied, Workers, default_num_workers

FORMAT = 1  # of the work folder and of what is drawn: a build of another one begins anew
WHERE_IT_RUNS = ("num_workers", "work_dir")  # settings that no record depends on


def create(settings) -> Summary:
    """Reads the corpus, writes the shards and the summary.

    Args:
      settings: `tfrecord_tools.create_pretraining_data.Settings`.

    Raises:
      InputError: settings, files or corpus cannot work, or a worker died. No output file is made
        then; what is finished stays for the next run of the same command, unless the corpus was
        at fault.
    """
    flags.check_numbers(settings)
    output_files = shard_names(settings.output_file, settings.num_shards)
    summary_file = summary_name(settings.output_file)
    inputs = [path for path in input_files(settings) if path != STDIN]
    check_output_files([*output_files, summary_file], [*inputs, settings.vocab_file])
    masking = check_settings(settings)
    num_workers = settings.num_workers or default_num_workers()
    work = WorkFolder(split_output_files(settings.output_file)[0], settings.work_dir)
    with work.opened(_plan(settings, inputs)), Workers(num_workers) as workers:
        corpus = _read(settings, work, workers)
        made = _make_pieces(settings, masking, work, corpus, workers)
        _merge_pieces(settings, work, made, len(output_files), workers)
        for number, path in enumerate(output_files):
            move_file(work.path(shard_file(number)), path)
        counts = sum((Counts(**work.read(f"{piece.name}.json")) for piece in made), corpus.counts)
        summary = write_summary(counts, settings, output_files, summary_file)
        work.remove()
    return summary


def check_settings(settings) -> Masking | None:
    """Returns how to mask, None for not at all; raises InputError for what cannot work."""
    vocabulary = load_vocabulary(settings.vocab_file)
    check_case(settings.do_lower_case, vocabulary)
    row_maker(settings.pairs, settings.packing)
    masking = masking_for(settings, vocabulary, settings.vocab_file)
    return None if settings.masking == "none" else masking


def write_summary(counts: Counts, settings, output_files: list[str], summary_file: str) -> Summary:
    """Writes what was made, and returns it."""
    summary = Summary.of(counts, settings.max_seq_length, output_files)
    written = {**dataclasses.asdict(summary), "settings": dataclasses.asdict(settings)}
    write_text(summary_file, json.dumps(written, indent=2) + "\n")
    return summary


def shard_file(number: int) -> str:
    return f"shard-{number:05}"


def _plan(settings, inputs: list[str]) -> dict[str, Any]:
    """All that the shards depend on; two builds of one plan make the same ones."""
    of_settings = dataclasses.asdict(settings)
    for name in WHERE_IT_RUNS:
        del of_settings[name]
    return {
        "format": FORMAT,
        "settings": of_settings,
        "inputs": describe_files(inputs),
        # What comes through a pipe cannot be read again.
        "pipe": secrets.token_hex() if STDIN in settings.input_file else None,
        "vocabulary": hashlib.sha256(read_bytes(settings.vocab_file)).hexdigest(),
    }


def check_corpus_size(counts: Counts, settings) -> Counts:
    """Returns the counts of a corpus; raises InputError if no record can be made of it."""
    if not counts.num_tokens:
        raise InputError(f"The corpus must hold text; {corpus_name(settings)} holds no word.")
    if settings.pairs == "next_sentence" and counts.num_documents == 1:
        raise InputError(
            "Next-sentence prediction needs two documents or more, to take random texts from; "
            f"{corpus_name(settings)} holds one. Say with --input_format where a document ends, or "
            "make records without pairs: --pairs=none."
        )
    return counts


def check_num_records(num_records: int, num_shards: int) -> None:
    """Raises InputError if a shard would get no record."""
    if num_records < num_shards:
        raise InputError(
            f"Every shard must get a record; the corpus makes only {num_records}. Received: "
            f"{num_shards} shards. Ask for fewer, or give more text."
        )


def _read(settings, work: WorkFolder, workers: Workers) -> Corpus:
    try:
        corpus = read_corpus(settings, work, workers)
        check_corpus_size(corpus.counts, settings)
    except WorkerDied:
        raise
    except InputError:
        work.remove()  # a corpus at fault will be another one when it is mended
        raise
    return corpus


def _make_pieces(
    settings, masking, work: WorkFolder, corpus: Corpus, workers: Workers
) -> list[Piece]:
    """Makes the pieces that are missing; returns all."""
    num_buckets = pieces.num_buckets(corpus.counts, settings.tokens_per_bucket)
    made = [
        Piece(bucket, round_number)
        for bucket in range(num_buckets)
        for round_number in range(settings.dupe_factor)
    ]
    missing = [piece for piece in made if not work.has(f"{piece.name}.json")]
    arguments = (settings, masking, work, corpus.num_files, num_buckets)
    with Progress("building", len(missing), " pieces") as progress:
        for _ in workers.run(pieces.make_pieces, arguments, missing):
            progress.advance()
    return made


def _merge_pieces(
    settings, work: WorkFolder, made: list[Piece], num_shards: int, workers: Workers
) -> None:
    """Writes the shards that are missing into the work folder."""
    num_records = [work.read(f"{piece.name}.json")["num_records"] for piece in made]
    try:
        check_num_records(sum(num_records), num_shards)
    except InputError:
        work.remove()
        raise
    missing = [number for number in range(num_shards) if not work.has(shard_file(number))]
    arguments = (settings.random_seed, work, made, num_records, num_shards)
    with Progress("shuffling", len(missing), " shards") as progress:
        for _ in workers.run(merge_shards, arguments, missing):
            progress.advance()


def merge_shards(
    random_seed: int, work: WorkFolder, made: list[Piece], num_records: list[int], num_shards: int
) -> Callable[[int], None]:
    """The function that writes a shard into the work folder, for a worker."""

    def merge_shard(shard: int) -> None:
        bounds = share_bounds(np.array(num_records, np.int64), shard, num_shards)
        shares = []
        for piece, (first, end) in zip(made, bounds.tolist(), strict=True):
            starts = np.load(work.path(f"{piece.name}.starts.npy"), mmap_mode="r")
            shares.append(Share(work.path(piece.name), np.array(starts[first : end + 1])))
        with work.writing(shard_file(shard)) as path:
            merge(shares, path, generator(random_seed, "shard", shard, num_shards))

    return merge_shard
