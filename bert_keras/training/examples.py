"""The examples of a pre-training run, and what learns from them.

Records with masks are taken as they are, each in a row of its own or several in one; those without
get fresh masks in every epoch.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from bert_keras.config import BertConfig
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
from bert_keras.objectives.pretraining import (
    ACCURACIES,
    LOSSES,
    packed_pretraining,
    pretraining,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training.step import Objective

# --max_predictions_per_seq is left out: it belongs to records with masks too.
MASKING_FLAGS = tuple(
    field.name
    for field in dataclasses.fields(MaskingSettings)
    if field.name != "max_predictions_per_seq"
)


class Recipe(NamedTuple):
    """What becomes of records with masks: batches, and what learns from them."""

    training_dataset: Callable[..., tf.data.Dataset]
    evaluation_dataset: Callable[..., tf.data.Dataset]
    build: Callable[[BertConfig], keras.Model]
    objective: Objective
    unit: str  # what a batch counts
    count: Callable[[Sequence[Shard], int, int], int]  # of an epoch


# How many sequences a row of a batch holds: one, or as many as fit (--pack_sequences).
RECIPES = {
    "single": Recipe(
        pretraining_dataset,
        evaluation_dataset,
        pretrainer,
        pretraining,
        unit="records",
        count=lambda shards, *_: count_records(shards),
    ),
    "packed": Recipe(
        packed_pretraining_dataset,
        packed_evaluation_dataset,
        packed_pretrainer,
        packed_pretraining,
        unit="rows",
        count=count_rows,
    ),
}


@dataclasses.dataclass(frozen=True)
class Examples:
    """Where a run takes its batches from.

    Attributes:
        for_training: function of the number of steps done -> batches of the steps that follow.
        for_evaluation: function of the batch size -> one pass over the records.
        count: how much an epoch holds, in `unit`; reads all files, InputError if one is damaged.
        unit: what a batch counts, "records" or "rows" that hold several.
        build: makes the model of a configuration.
        objective: scores its outputs.
        losses: name of a mean of the objective -> what its count is enlarged by.
        accuracies: the names of other means of it.
        decisive: flag -> value, of those that the masks depend on.
        flags: names of the flags that it takes to read records of this kind.
    """

    for_training: Callable[[int], tf.data.Dataset]
    for_evaluation: Callable[[int], tf.data.Dataset]
    count: Callable[[], int]
    unit: str
    build: Callable[[BertConfig], keras.Model]
    objective: Objective
    losses: Mapping[str, float]
    accuracies: Sequence[str]
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
    recipe = RECIPES["packed" if settings.pack_sequences else "single"]
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    return Examples(
        lambda start_step: recipe.training_dataset(
            shards, *lengths, settings.train_batch_size, settings.random_seed, start_step
        ),
        lambda batch_size: recipe.evaluation_dataset(shards, *lengths, batch_size),
        lambda: recipe.count(shards, *lengths),
        recipe.unit,
        recipe.build,
        recipe.objective,
        LOSSES,
        ACCURACIES,
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
        lambda start_step: dynamic_pretraining_dataset(
            shards, length, masking, settings.train_batch_size, settings.random_seed, start_step
        ),
        lambda batch_size: dynamic_evaluation_dataset(shards, length, masking, batch_size),
        lambda: count_records(shards),
        "records",
        pretrainer,
        pretraining,
        LOSSES,
        ACCURACIES,
        decisive=decisive | {"vocab_file": f"{masking.vocab_size} pieces, {special}"},
        flags=("vocab_file", "do_lower_case", *MASKING_FLAGS),
    )
