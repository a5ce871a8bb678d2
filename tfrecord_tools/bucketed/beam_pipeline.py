"""The bucketed builder as an Apache Beam pipeline, of the functions that the processes call."""

import dataclasses
import json
from collections.abc import Iterable, Iterator

import apache_beam as beam
import numpy as np
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.pvalue import AsDict, AsSingleton

from bert_keras import flags
from bert_keras.data.masking_settings import Masking
from bert_keras.errors import InputError
from bert_keras.files import read_text, remove_if_exists, unfinished_name
from tfrecord_tools.bucketed.creation import checked_masking
from tfrecord_tools.bucketed.documents import Documents, concatenate, sort_by_key, take
from tfrecord_tools.bucketed.reading import block_tokenizer
from tfrecord_tools.bucketed.rounds import Round, buckets_for, generator, key_range, round_maker
from tfrecord_tools.bucketed.shards import interleaved, share_bounds
from tfrecord_tools.corpus.blocks import Block, read_blocks
from tfrecord_tools.corpus.settings import STDIN, corpus_name, input_files
from tfrecord_tools.counts import Counts, check_corpus, check_records
from tfrecord_tools.outputs import (
    check_no_other_shards,
    check_output_files,
    shard_names,
    summary_name,
    write_summary,
)
from tfrecord_tools.record_settings import RecordSettings
from tfrecord_tools.summary import Summary

MadeRound = tuple[Round, list[bytes], Counts]  # with its records, as frames of a TFRecord file


def create(settings: RecordSettings, beam_flags: list[str]) -> Summary:
    """Runs the pipeline, waits for its end and returns what it made.

    Raises:
      InputError: settings, files or corpus cannot work.
    """
    flags.check_numbers(settings)
    masking = checked_masking(settings)
    sources = input_files(settings)
    if STDIN in sources:
        raise InputError(
            "Many machines cannot read from one standard input. Received: --input_file=-. Give "
            "files."
        )
    output_files = shard_names(settings.output_file, settings.num_shards)
    summary_file = summary_name(settings.output_file)
    check_output_files([*output_files, summary_file], [*sources, settings.vocab_file])
    check_no_other_shards(output_files)
    try:
        with beam.Pipeline(options=PipelineOptions(beam_flags)) as pipeline:
            documents, corpus = _read(pipeline, sources, settings)
            rounds = _make_rounds(documents, corpus, settings, masking)
            shards = _write(rounds, output_files, settings.random_seed)
            _finish(shards, corpus, rounds, settings, output_files, summary_file)
    finally:
        for path in output_files:
            remove_if_exists(unfinished_name(path))
    written = json.loads(read_text(summary_file))
    del written["settings"]
    return Summary(**written)


def _read(pipeline, sources, settings):
    """The tokenized documents, a block at a time, and the counts of all."""
    blocks = (
        pipeline
        | "sources" >> beam.Create(sources or [""])  # a TFDS set is one source
        | "to all workers" >> beam.Reshuffle()
        | "read" >> beam.FlatMap(_blocks, settings)
        | "blocks to all workers" >> beam.Reshuffle()
        | "tokenize" >> beam.ParDo(_Tokenize(settings))
    )
    corpus = (
        blocks
        | "counts of blocks" >> beam.Map(lambda block: block[1])
        | "add up blocks" >> beam.CombineGlobally(_sum)
        | "check corpus" >> beam.Map(_checked, settings.pairs, corpus_name(settings))
    )
    return blocks | "documents" >> beam.Map(lambda block: block[0]), corpus


def _make_rounds(documents, corpus, settings, masking):
    """A MadeRound for every round of every bucket."""
    return (
        documents
        | "to buckets" >> beam.FlatMap(_by_bucket, AsSingleton(corpus), settings.tokens_per_bucket)
        | "bucket" >> beam.GroupByKey()
        | "make rounds" >> beam.ParDo(_MakeRounds(settings, masking))
        | "keep rounds" >> beam.Reshuffle()
    )


def _write(rounds, output_files, random_seed):
    """Writes the shards under unfinished names; gives None for each."""
    num_records = rounds | "records of rounds" >> beam.Map(
        lambda made: (made[0], made[2].num_records)
    )
    return (
        rounds
        | "to shards" >> beam.FlatMap(_by_shard, AsDict(num_records), len(output_files))
        | "shard" >> beam.GroupByKey()
        | "write" >> beam.Map(_write_shard, output_files, random_seed)
    )


def _finish(shards, corpus, rounds, settings, output_files, summary_file) -> None:
    """Gives the shards their names when all are written, and writes the summary."""
    records = (
        rounds
        | "counts of rounds" >> beam.Map(lambda made: made[2])
        | "add up rounds" >> beam.CombineGlobally(_sum)
    )
    _ = (
        shards
        | "all shards" >> beam.combiners.Count.Globally()
        | "finish"
        >> beam.Map(
            _rename_and_summarize,
            AsSingleton(corpus),
            AsSingleton(records),
            settings,
            output_files,
            summary_file,
        )
    )


class _Tokenize(beam.DoFn):
    """Blocks -> tokenized documents and their counts."""

    def __init__(self, settings: RecordSettings):
        self._settings = settings

    def setup(self):
        self._tokenize = block_tokenizer(self._settings)

    def process(self, block):
        documents, counts, _ = self._tokenize([block])
        yield documents, counts


class _MakeRounds(beam.DoFn):
    """A bucket and its documents -> a MadeRound for each of its rounds."""

    def __init__(self, settings: RecordSettings, masking: Masking | None):
        self._settings = settings
        self._masking = masking

    def setup(self):
        self._make = round_maker(self._settings, self._masking)

    def process(self, bucket_and_parts):
        bucket, parts = bucket_and_parts
        documents = sort_by_key(concatenate(parts))
        for number in range(self._settings.dupe_factor):
            frames, counts = self._make(documents, Round(bucket, number))
            yield Round(bucket, number), frames, counts


def _blocks(source: str, settings: RecordSettings) -> Iterator[Block]:
    if source:
        settings = dataclasses.replace(settings, input_file=[source])
    yield from read_blocks(settings, lambda num_bytes: None)


def _by_bucket(
    documents: Documents, corpus: Counts, tokens_per_bucket: int
) -> Iterator[tuple[int, Documents]]:
    num_buckets = buckets_for(corpus, tokens_per_bucket)
    last_keys = [key_range(bucket, num_buckets)[1] for bucket in range(num_buckets)]
    buckets = np.searchsorted(np.array(last_keys, np.uint64), documents.keys, side="left")
    for bucket in np.unique(buckets).tolist():
        yield bucket, take(documents, np.flatnonzero(buckets == bucket))


def _by_shard(
    made: MadeRound, num_records: dict[Round, int], num_shards: int
) -> Iterator[tuple[int, tuple[Round, list[bytes]]]]:
    round_, frames, _ = made
    num_before = sum(num for other, num in num_records.items() if other < round_)
    for shard in range(num_shards):
        first, end = share_bounds(num_before, len(frames), shard, num_shards)
        yield shard, (round_, frames[first:end])


def _write_shard(
    shard_and_shares: tuple[int, Iterable[tuple[Round, list[bytes]]]],
    output_files: list[str],
    random_seed: int,
) -> None:
    shard, shares = shard_and_shares
    frames = [of_round for _, of_round in sorted(shares)]
    rng = generator(random_seed, "shard", shard, len(output_files))
    path = output_files[shard]
    with FileSystems.create(
        unfinished_name(path), compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        for frame in interleaved(frames, list(map(len, frames)), rng):
            file.write(frame)


def _rename_and_summarize(
    num_shards: int, corpus: Counts, records: Counts, settings, output_files, summary_file
) -> None:
    """Takes the number of shards, so that it comes after them."""
    check_records(records, len(output_files))
    FileSystems.rename(list(map(unfinished_name, output_files)), output_files)
    summary = Summary.of(corpus + records, settings.max_seq_length, output_files)
    write_summary(summary, settings, summary_file)


def _checked(corpus: Counts, pairs: str, name: str) -> Counts:
    check_corpus(corpus, pairs, name)
    return corpus


def _sum(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())
