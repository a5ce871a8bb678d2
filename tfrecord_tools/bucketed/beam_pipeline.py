"""The bucketed builder as an Apache Beam pipeline, of the functions that the processes call.

Letters: a piece is the records of a bucket in a round; pieces are numbered bucket by bucket.
"""

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
from bert_keras.files import read_text, unfinished_name
from tfrecord_tools.bucketed import pieces
from tfrecord_tools.bucketed.creation import (
    check_corpus_size,
    check_num_records,
    check_settings,
    write_summary,
)
from tfrecord_tools.bucketed.documents import Documents, concatenate, sort_by_key, take
from tfrecord_tools.bucketed.pieces import Piece, generator, piece_maker
from tfrecord_tools.bucketed.reading import tokenize_blocks
from tfrecord_tools.bucketed.shards import interleaved, share_bounds
from tfrecord_tools.corpus.blocks import read_blocks
from tfrecord_tools.corpus.settings import STDIN, input_files
from tfrecord_tools.counts import Counts
from tfrecord_tools.outputs import check_output_files, shard_names, summary_name
from tfrecord_tools.summary import Summary


def create(settings) -> Summary:
    """Runs the pipeline, waits for its end and returns what it made.

    Args:
      settings: `tfrecord_tools.create_pretraining_data_beam.Settings`.

    Raises:
      InputError: settings, files or corpus cannot work.
    """
    flags.check_numbers(settings)
    masking = check_settings(settings)
    sources = input_files(settings)
    if STDIN in sources:
        raise InputError("Many machines cannot read from one standard input; give files.")
    output_files = shard_names(settings.output_file, settings.num_shards)
    summary_file = summary_name(settings.output_file)
    check_output_files([*output_files, summary_file], [*sources, settings.vocab_file])
    with beam.Pipeline(options=PipelineOptions(settings.beam_flags)) as pipeline:
        _build(pipeline, settings, masking, sources, output_files, summary_file)
    written = json.loads(read_text(summary_file))
    del written["settings"]
    return Summary(**written)


def _build(pipeline, settings, masking, sources, output_files, summary_file) -> None:
    parts = (
        pipeline
        | "sources" >> beam.Create(sources or [""])  # a TFDS set is one source
        | "to all workers" >> beam.Reshuffle()
        | "read" >> beam.FlatMap(_blocks, settings)
        | "blocks to all workers" >> beam.Reshuffle()
        | "tokenize" >> beam.ParDo(_Tokenize(settings))
    )
    corpus = (
        parts
        | "count documents" >> beam.Map(lambda part: part[1])
        | "add up documents" >> beam.CombineGlobally(_sum)
        | "check corpus" >> beam.Map(check_corpus_size, settings)
    )
    made = (
        parts
        | "documents" >> beam.Map(lambda part: part[0])
        | "to buckets" >> beam.FlatMap(_by_bucket, AsSingleton(corpus), settings.tokens_per_bucket)
        | "bucket" >> beam.GroupByKey()
        | "make pieces" >> beam.ParDo(_MakePieces(settings, masking))
        | "keep pieces" >> beam.Reshuffle()
    )
    counts = made | "counts of pieces" >> beam.Map(lambda piece: (piece[0], piece[2].num_records))
    shards = (
        made
        | "to shards" >> beam.FlatMap(_by_shard, AsDict(counts), len(output_files))
        | "shard" >> beam.GroupByKey()
        | "write" >> beam.Map(_write_shard, output_files, settings.random_seed)
    )
    records = (
        made
        | "count records" >> beam.Map(lambda piece: piece[2])
        | "add up records" >> beam.CombineGlobally(_sum)
    )
    _ = (
        shards
        | "all shards" >> beam.combiners.Count.Globally()
        | "summarize"
        >> beam.Map(
            _write_summary,
            AsSingleton(corpus),
            AsSingleton(records),
            settings,
            output_files,
            summary_file,
        )
    )


class _Tokenize(beam.DoFn):
    """Blocks -> tokenized documents and their counts."""

    def __init__(self, settings):
        self._settings = settings

    def setup(self):
        self._tokenize = tokenize_blocks(self._settings)

    def process(self, block):
        yield self._tokenize(block)


class _MakePieces(beam.DoFn):
    """A bucket and its documents -> the piece of each round: its number, records and counts."""

    def __init__(self, settings, masking: Masking | None):
        self._settings = settings
        self._masking = masking

    def setup(self):
        self._make = piece_maker(self._settings, self._masking)

    def process(self, bucket_and_parts):
        bucket, parts = bucket_and_parts
        documents = sort_by_key(concatenate(parts))
        for round_number in range(self._settings.dupe_factor):
            frames, counts = self._make(documents, Piece(bucket, round_number))
            yield bucket * self._settings.dupe_factor + round_number, frames, counts


def _blocks(source: str, settings):
    if source:
        settings = dataclasses.replace(settings, input_file=[source])
    yield from read_blocks(settings, lambda num_bytes: None)


def _by_bucket(
    documents: Documents, corpus: Counts, tokens_per_bucket: int
) -> Iterator[tuple[int, Documents]]:
    num_buckets = pieces.num_buckets(corpus, tokens_per_bucket)
    ends = [pieces.key_range(bucket, num_buckets)[1] for bucket in range(num_buckets)]
    buckets = np.searchsorted(np.array(ends, np.uint64), documents.keys, side="left")
    for bucket in np.unique(buckets).tolist():
        yield bucket, take(documents, np.flatnonzero(buckets == bucket))


def _by_shard(
    piece: tuple[int, list[bytes], Counts], num_records: dict[int, int], num_shards: int
) -> Iterator[tuple[int, tuple[int, list[bytes]]]]:
    number, frames, _ = piece
    counts = _in_order(num_records)
    check_num_records(int(counts.sum()), num_shards)
    row = sorted(num_records).index(number)
    for shard in range(num_shards):
        first, end = share_bounds(counts, shard, num_shards)[row].tolist()
        yield shard, (number, frames[first:end])


def _write_shard(
    shard_and_shares: tuple[int, Iterable[tuple[int, list[bytes]]]],
    output_files: list[str],
    random_seed: int,
) -> None:
    shard, shares = shard_and_shares
    frames = [of_piece for _, of_piece in sorted(shares)]
    rng = generator(random_seed, "shard", shard, len(output_files))
    path = output_files[shard]
    with FileSystems.create(
        unfinished_name(path), compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        for frame in interleaved(frames, list(map(len, frames)), rng):
            file.write(frame)
    FileSystems.rename([unfinished_name(path)], [path])


def _write_summary(
    num_shards: int, corpus: Counts, records: Counts, settings, output_files, summary_file
) -> None:
    """Comes after all shards: it needs their number."""
    write_summary(corpus + records, settings, output_files, summary_file)


def _in_order(num_records: dict[int, int]) -> np.ndarray:
    """The numbers of records, by the numbers of their pieces."""
    return np.array([count for _, count in sorted(num_records.items())], np.int64)


def _sum(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())
