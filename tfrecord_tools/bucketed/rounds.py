"""A bucket of documents -> its records of a round, in random order.

A bucket is a range of keys. Its records are a pure function of its documents, the settings, the
seed and two numbers, so buckets and rounds can be made in any order by any number of workers.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bert_keras.data.masking_settings import Masking
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR, load_vocabulary
from tfrecord_tools.bucketed.assembly import Batch, assemble
from tfrecord_tools.bucketed.documents import Documents, concatenate, read_documents, sort_by_key
from tfrecord_tools.bucketed.masking import MaskedRows, UnmaskedRows, mask_rows
from tfrecord_tools.bucketed.pairing import row_maker
from tfrecord_tools.bucketed.ranges import starts_of
from tfrecord_tools.bucketed.reading import documents_file
from tfrecord_tools.bucketed.serialization import masked_frames, unmasked_frames
from tfrecord_tools.bucketed.work_folder import WorkFolder
from tfrecord_tools.counts import Counts
from tfrecord_tools.record_settings import RecordSettings

STARTS = ".starts.npy"  # ends the name of the file that tells where each record begins
NUM_ROWS_AT_A_TIME = 1024  # so many stay in the cache of a processor
NUM_KEYS = 2**64
# A corpus that would fit in one bucket gets more, to keep several workers busy; not so many that a
# bucket has few documents to take a random one from.
NUM_BUCKETS_OF_SMALL_CORPUS = 16
MIN_DOCUMENTS_A_BUCKET = 64


class Round(NamedTuple):
    """One time through a bucket."""

    bucket: int
    number: int  # less than --dupe_factor

    @property
    def name(self) -> str:
        return f"round-{self.bucket:05}-{self.number:05}"


def key_range(bucket: int, num_buckets: int) -> tuple[int, int]:
    """The first and the last key of a bucket."""
    return NUM_KEYS * bucket // num_buckets, NUM_KEYS * (bucket + 1) // num_buckets - 1


def buckets_for(corpus: Counts, tokens_per_bucket: int) -> int:
    """How many buckets a corpus gets: a function of its size alone."""
    for_memory = math.ceil(corpus.num_tokens / tokens_per_bucket)
    for_workers = min(NUM_BUCKETS_OF_SMALL_CORPUS, corpus.num_documents // MIN_DOCUMENTS_A_BUCKET)
    return max(1, for_memory, for_workers)


def round_writer(
    settings: RecordSettings,
    masking: Masking | None,
    work: WorkFolder,
    num_files: int,
    num_buckets: int,
) -> Callable[[list[Round]], None]:
    """The function that writes rounds of one bucket into the work folder, for a worker."""
    make = round_maker(settings, masking)
    paths = [work.path(documents_file(number)) for number in range(num_files)]

    def write_rounds(rounds: list[Round]) -> None:
        documents = read_bucket(paths, rounds[0].bucket, num_buckets)
        for round_ in rounds:
            frames, counts = make(documents, round_)
            with work.writing(round_.name, "", STARTS) as ([path, starts_path], content):
                with open(path, "wb") as file:
                    file.writelines(frames)
                with open(starts_path, "wb") as file:
                    np.save(file, starts_of(np.fromiter(map(len, frames), np.int64, len(frames))))
                content.update(dataclasses.asdict(counts))

    return write_rounds


def read_bucket(paths: list[str], bucket: int, num_buckets: int) -> Documents:
    """The documents of a bucket, from all files, in the order of their keys."""
    parts = (read_documents(path, *key_range(bucket, num_buckets)) for path in paths)
    return sort_by_key(concatenate(parts))


def round_maker(
    settings: RecordSettings, masking: Masking | None
) -> Callable[[Documents, Round], tuple[list[bytes], Counts]]:
    """The function that takes the documents of a bucket and gives its records of a round.

    They are frames of a TFRecord file in random order.

    Args:
      settings: what records hold.
      masking: None for records without masks.
    """
    vocabulary = load_vocabulary(settings.vocab_file)
    cls_id, sep_id = vocabulary[CLASSIFICATION], vocabulary[SEPARATOR]
    make_rows = row_maker(settings.pairs, settings.packing)
    length = settings.max_seq_length

    def make(documents: Documents, round_: Round) -> tuple[list[bytes], Counts]:
        rng = generator(settings.random_seed, "round", *round_)
        rows = make_rows(documents, length, settings.short_seq_prob, rng)
        counts = Counts(
            num_dropped_tokens=rows.num_dropped_tokens,
            num_left_out_tokens=rows.num_left_out_tokens,
            num_without_other=rows.num_without_other,
        )
        frames: list[bytes] = []
        num_rows = len(rows.labels)
        for first in range(0, num_rows, NUM_ROWS_AT_A_TIME):
            end = min(first + NUM_ROWS_AT_A_TIME, num_rows)
            batch = assemble(rows, first, end, documents, length, cls_id, sep_id)
            of_batch, counts_of_batch = _records(batch, masking, rng)
            frames += of_batch
            counts += counts_of_batch
        return [frames[index] for index in rng.permutation(num_rows).tolist()], counts

    return make


def generator(random_seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """Random numbers that depend on the arguments alone."""
    words = [random_seed % 2**64, *purpose.encode(), *numbers]
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(words)))


def _records(
    batch: Batch, masking: Masking | None, rng: np.random.Generator
) -> tuple[list[bytes], Counts]:
    counts = Counts(
        num_records=len(batch.labels),
        num_label_1=int(batch.labels.sum()),
        num_positions_used=int(batch.num_tokens.sum()),
        num_text_positions=int(batch.is_text.sum()),
    )
    if masking is None:
        return unmasked_frames(batch), counts
    rows = UnmaskedRows(batch.tokens, batch.num_tokens, batch.starts_word, batch.is_text)
    masked = mask_rows(rows, masking, rng)
    return masked_frames(batch, masked), counts + _count_masks(masked, masking.mask_id)


def _count_masks(masked: MaskedRows, mask_id: int) -> Counts:
    shown = np.take_along_axis(masked.tokens, masked.positions, axis=1)  # [R, P]
    is_used = np.arange(shown.shape[1]) < masked.num_predictions[:, np.newaxis]
    return Counts(
        num_masked_tokens=int(is_used.sum()),
        num_mask=int((is_used & (shown == mask_id)).sum()),
        num_kept=int((is_used & (shown == masked.labels)).sum()),
    )
