"""The steps of the bucketed builder: corpus -> documents -> rounds -> shards.

Documents go to buckets by a hash of their tokens; each bucket gives records in every round; shards
are shuffles of all of them. Every step depends on what went before and on the settings, never on
the number of workers, and leaves files that the next run of the same command finds.
"""

import contextlib
import dataclasses
import hashlib
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bert_keras.data.masking_settings import Masking, masking_for
from bert_keras.errors import InputError
from bert_keras.files import read_bytes, remove_if_exists, replace_files
from bert_keras.progress import Progress
from bert_keras.tokenizers.vocabulary import check_case, load_vocabulary
from tfrecord_tools.bucketed.pairing import row_maker
from tfrecord_tools.bucketed.reading import Corpus, documents_file, read_corpus
from tfrecord_tools.bucketed.rounds import STARTS, Round, buckets_for, generator, round_writer
from tfrecord_tools.bucketed.shards import Share, merge, share_bounds
from tfrecord_tools.bucketed.tokenization import segmenter_version
from tfrecord_tools.bucketed.work_folder import WorkFolder, describe_files
from tfrecord_tools.corpus.settings import STDIN, corpus_name, input_files
from tfrecord_tools.counts import Counts, check_corpus, check_records
from tfrecord_tools.outputs import (
    check_no_other_shards,
    check_output_files,
    shard_names,
    split_output_files,
    summary_name,
    write_summary,
)
from tfrecord_tools.record_settings import RecordSettings
from tfrecord_tools.summary import Summary
from tfrecord_tools.workers import Workers, default_num_workers

FORMAT = 1  # of the work folder and of what is drawn: a build of another one begins anew
# With fewer, a task is one round: the documents of a bucket are read for each, but all are busy.
MIN_BUCKETS_A_WORKER = 4


def create(
    settings: RecordSettings, num_workers: int | None = None, work_dir: str | None = None
) -> Summary:
    """Reads the corpus, writes the shards and the summary.

    Args:
      settings: what the records hold, and their files.
      num_workers: processes; one for each processor by default. No record depends on it.
      work_dir: local folder for what is unfinished; by default that of the output.

    Raises:
      InputError: settings, files or corpus cannot work, or a worker died. No output file is made
        then; what is finished stays for the next run of the same command, unless the corpus or
        the settings were at fault.
    """
    output_files = shard_names(settings.output_file, settings.num_shards)
    summary_file = summary_name(settings.output_file)
    inputs = [path for path in input_files(settings) if path != STDIN]
    check_output_files([*output_files, summary_file], [*inputs, settings.vocab_file])
    check_no_other_shards(output_files)
    masking = checked_masking(settings)
    work = WorkFolder(split_output_files(settings.output_file)[0], work_dir)
    with (
        work.opened(_plan(settings, inputs)),
        Workers(num_workers or default_num_workers()) as workers,
    ):
        corpus = _read(settings, work, workers)
        rounds = _make_rounds(settings, masking, work, corpus, workers)
        records = sum((Counts(**work.read(round_.name)) for round_ in rounds), Counts())
        with _nothing_kept(work):
            check_records(records, len(output_files))
        _merge(settings, work, rounds, len(output_files), workers)
        remove_if_exists(summary_file)
        made = [work.path(shard_file(number)) for number in range(len(output_files))]
        replace_files(made, output_files)
        summary = Summary.of(corpus.counts + records, settings.max_seq_length, output_files)
        write_summary(summary, settings, summary_file)
        work.remove()
    return summary


def checked_masking(settings: RecordSettings) -> Masking | None:
    """Returns how to mask, None for not at all; raises InputError for what cannot work."""
    vocabulary = load_vocabulary(settings.vocab_file)
    check_case(settings.do_lower_case, vocabulary)
    row_maker(settings.pairs, settings.packing)  # knows their names
    masking = masking_for(settings, vocabulary, settings.vocab_file)
    return None if settings.masking == "none" else masking


def shard_file(number: int) -> str:
    return f"shard-{number:05}"


def _plan(settings: RecordSettings, inputs: list[str]) -> dict[str, Any]:
    """All that the shards depend on; two builds of one plan make the same ones."""
    fields = dataclasses.fields(RecordSettings)
    return {
        "format": FORMAT,
        "numpy": np.__version__,
        "settings": {field.name: getattr(settings, field.name) for field in fields},
        "inputs": describe_files(inputs),
        # What comes through a pipe cannot be read again.
        "pipe": secrets.token_hex() if STDIN in settings.input_file else None,
        "vocabulary": hashlib.sha256(read_bytes(settings.vocab_file)).hexdigest(),
        "segmenter": settings.segmenter and segmenter_version(settings.segmenter),
    }


@contextlib.contextmanager
def _nothing_kept(work: WorkFolder) -> Iterator[None]:
    """Removes the folder if what is checked inside is at fault: another run would not mend it."""
    try:
        yield
    except InputError:
        work.remove()
        raise


def _read(settings: RecordSettings, work: WorkFolder, workers: Workers) -> Corpus:
    try:
        corpus = read_corpus(settings, work, workers)
    except InputError:
        if not work.has(documents_file(0)):
            work.remove()
        raise
    with _nothing_kept(work):
        check_corpus(corpus.counts, settings.pairs, corpus_name(settings))
    return corpus


def _make_rounds(
    settings: RecordSettings,
    masking: Masking | None,
    work: WorkFolder,
    corpus: Corpus,
    workers: Workers,
) -> list[Round]:
    """Makes the rounds that are missing; returns all."""
    num_buckets = buckets_for(corpus.counts, settings.tokens_per_bucket)
    buckets = [
        [Round(bucket, number) for number in range(settings.dupe_factor)]
        for bucket in range(num_buckets)
    ]
    missing = [[round_ for round_ in rounds if not work.has(round_.name)] for rounds in buckets]
    if num_buckets < MIN_BUCKETS_A_WORKER * workers.num_workers:
        missing = [[round_] for rounds in missing for round_ in rounds]  # to keep all busy
    tasks = [rounds for rounds in missing if rounds]
    arguments = (settings, masking, work, corpus.num_files, num_buckets)
    with Progress("building", sum(map(len, tasks)), " rounds") as progress:
        for rounds, _ in zip(tasks, workers.run(round_writer, arguments, tasks), strict=True):
            progress.advance(len(rounds))
    return [round_ for rounds in buckets for round_ in rounds]


def _merge(
    settings: RecordSettings,
    work: WorkFolder,
    rounds: list[Round],
    num_shards: int,
    workers: Workers,
) -> None:
    """Writes the shards that are missing into the work folder."""
    num_records = [work.read(round_.name)["num_records"] for round_ in rounds]
    missing = [number for number in range(num_shards) if not work.has(shard_file(number))]
    arguments = (settings.random_seed, work, rounds, num_records, num_shards)
    with Progress("shuffling", len(missing), " shards") as progress:
        for _ in workers.run(shard_merger, arguments, missing):
            progress.advance()


def shard_merger(
    random_seed: int, work: WorkFolder, rounds: list[Round], num_records: list[int], num_shards: int
) -> Callable[[int], None]:
    """The function that writes a shard into the work folder, for a worker."""

    def merge_shard(shard: int) -> None:
        counts = np.array(num_records, np.int64)
        bounds = share_bounds(np.cumsum(counts) - counts, counts, shard, num_shards)
        shares = []
        for round_, first, end in zip(rounds, *bounds, strict=True):
            starts = np.load(work.path(round_.name + STARTS), mmap_mode="r")
            shares.append(Share(work.path(round_.name), np.array(starts[first : end + 1])))
        with work.writing(shard_file(shard), "") as ([path], _):
            merge(shares, path, generator(random_seed, "shard", shard, num_shards))

    return merge_shard
