"""The examples of a pre-training run, and what learns from them.

Records with masks are taken as they are, each in a row of its own or several in one; those without
get fresh masks in every epoch.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from bert_keras.data.dynamic_pipeline import dynamic_evaluation_dataset, dynamic_pretraining_dataset
from bert_keras.data.masking_settings import MaskingSettings, masking_for
from bert_keras.data.packed_pipeline import (
    count_rows,
    packed_evaluation_dataset,
    packed_pretraining_dataset,
)
from bert_keras.data.pipeline import evaluation_dataset, pretraining_dataset
from bert_keras.data.records import Shard, count_records
from bert_keras.errors import InputError
from bert_keras.models.packed_pretrainer import packed_pretrainer
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# --max_predictions_per_seq is left out: it belongs to records with masks too.
MASKING_FLAGS = tuple(
    field.name
    for field in dataclasses.fields(MaskingSettings)
    if field.name != "max_predictions_per_seq"
)


class Layout(NamedTuple):
    """What becomes of records with masks: batches, and what learns from them."""

    training_dataset: Callable[..., tf.data.Dataset]
    evaluation_dataset: Callable[..., tf.data.Dataset]
    build: Callable[..., keras.Model]
    unit: str  # what a batch counts
    count: Callable[[Sequence[Shard], int, int], int]  # of an epoch


# How many sequences a row of a batch holds: one, or as many as fit (--pack_sequences).
LAYOUTS = {
    "single": Layout(
        pretraining_dataset,
        evaluation_dataset,
        pretrainer,
        unit="records",
        count=lambda shards, *_: count_records(shards),
    ),
    "packed": Layout(
        packed_pretraining_dataset,
        packed_evaluation_dataset,
        packed_pretrainer,
        unit="rows",
        count=count_rows,
    ),
}


@dataclasses.dataclass(frozen=True)
class Examples:
    """Where a run takes its batches from.

    Attributes:
        for_training: function of the number of steps done, `worker_index` and `num_workers` -> that
            worker's rows of the batches of the steps that follow.
        for_evaluation: function of the batch size, `worker_index` and `num_workers` -> that
            worker's rows of one pass over the records.
        count: how much an epoch holds, in `unit`; reads all files, InputError if one is damaged.
        unit: what a batch counts, "records" or "rows" that hold several.
        build: makes the model of a configuration and a class of blocks.
        decisive: flag -> value, of those that the masks depend on.
        flags: names of the flags that it takes to read records of this kind.
    """

    for_training: Callable[..., tf.data.Dataset]
    for_evaluation: Callable[..., tf.data.Dataset]
    count: Callable[[], int]
    unit: str
    build: Callable[..., keras.Model]
    decisive: Mapping[str, Any]
    flags: Sequence[str]


def examples_of(
    shards: Sequence[Shard], settings: Any, tokenizer: WordPieceTokenizer | None
) -> Examples:
    """Returns the examples of records that `check_first_records` has checked.

    Raises:
        InputError: a flag is missing that the records need, or one is given that does not go
            with them.
    """
    if shards[0].is_masked:
        return _masked_examples(shards, settings)
    return _unmasked_examples(shards, settings, tokenizer)


def _masked_examples(shards, settings):
    defaults = MaskingSettings()
    for name in MASKING_FLAGS:
        if getattr(settings, name) != getattr(defaults, name):
            raise InputError(
                f"--{name} is for records without masks; those of {shards[0].path} hold masks "
                "already. Leave it out, or make records with --masking=none."
            )
    layout = LAYOUTS["packed" if settings.pack_sequences else "single"]
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    return Examples(
        for_training=functools.partial(
            layout.training_dataset,
            shards,
            *lengths,
            settings.train_batch_size,
            settings.random_seed,
        ),
        for_evaluation=lambda batch_size, **worker: _with_pair_weights(
            layout.evaluation_dataset(shards, *lengths, batch_size, **worker)
        ),
        count=lambda: layout.count(shards, *lengths),
        unit=layout.unit,
        build=layout.build,
        decisive={},
        flags=(),
    )


def _unmasked_examples(shards, settings, tokenizer):
    if tokenizer is None:
        raise InputError(
            f"The records of {shards[0].path} hold no masks; to make them, --vocab_file must be "
            "given: the vocabulary of the records."
        )
    if settings.masking == "none":
        raise InputError(
            f"The records of {shards[0].path} hold no masks, so --masking must say how to make "
            "them. Received: none"
        )
    if settings.pack_sequences:
        raise InputError(
            f"--pack_sequences is for records with masks; those of {shards[0].path} hold none. "
            "Leave it out, or make records with masks."
        )
    masking = masking_for(settings, tokenizer.vocab, settings.vocab_file)
    length = settings.max_seq_length
    decisive = {name: getattr(settings, name) for name in MASKING_FLAGS}
    special = f"[CLS] and [SEP] {masking.special_ids}, [MASK] {masking.mask_id}"
    return Examples(
        for_training=functools.partial(
            dynamic_pretraining_dataset,
            shards,
            length,
            masking,
            settings.train_batch_size,
            settings.random_seed,
        ),
        for_evaluation=lambda batch_size, **worker: _with_pair_weights(
            dynamic_evaluation_dataset(shards, length, masking, batch_size, **worker)
        ),
        count=lambda: count_records(shards),
        unit="records",
        build=pretrainer,
        decisive=decisive | {"vocab_file": f"{masking.vocab_size} pieces, {special}"},
        flags=("vocab_file", "do_lower_case", *MASKING_FLAGS),
    )


def _with_pair_weights(dataset):
    """Adds `next_sentence_weights`, by which rows that fill up the last batch count nothing."""

    def add(features):
        ones = tf.ones_like(features["next_sentence_labels"], tf.float32)
        return {"next_sentence_weights": ones, **features}

    return dataset.map(add)
