"""Checks before a run: whether flags, configuration, vocabulary and records can work together."""

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def check_given(settings: Any, names: Iterable[str]) -> None:
    """Raises InputError for the first of the named settings that is empty."""
    for name in names:
        if not getattr(settings, name):
            raise InputError(f"--{name} must be given.")


def check_positive(settings: Any, names: Iterable[str]) -> None:
    """Raises InputError for the first of the named settings that is not above 0."""
    for name in names:
        value = getattr(settings, name)
        if value <= 0:
            raise InputError(f"--{name} must be positive. Received: {value}")


def check_one_of(settings: Any, name: str, values: Iterable[str]) -> None:
    """Raises InputError for a setting with a value that is not in the list."""
    value = getattr(settings, name)
    if value not in values:
        raise InputError(f"--{name} must be one of {', '.join(values)}. Received: {value}")


def check_length(max_seq_length: int, config: BertConfig, config_file: str) -> None:
    """Raises InputError for examples that are longer than the model has positions."""
    if max_seq_length > config.max_position_embeddings:
        raise InputError(
            f"--max_seq_length={max_seq_length} must not exceed "
            f"max_position_embeddings={config.max_position_embeddings} of {config_file}. "
            "Make records of a shorter length, or enlarge the table."
        )


def check_vocabulary(
    tokenizer: WordPieceTokenizer, vocab_file: str, config: BertConfig, config_file: str
) -> None:
    """Raises InputError for a vocabulary that is not as large as the model's."""
    if tokenizer.vocab_size != config.vocab_size:
        raise InputError(
            f"The vocabulary must have vocab_size={config.vocab_size} of {config_file}. "
            f"Received: {vocab_file} with {tokenizer.vocab_size} entries."
        )


def check_ids(dataset: tf.data.Dataset, names: Iterable[str], vocab_size: int) -> None:
    """Raises InputError if the first batch holds an id that the model has no embedding for."""
    features = next(iter(dataset))
    for name in names:
        largest = int(tf.reduce_max(features[name]))
        if largest >= vocab_size:
            raise InputError(
                f"Ids must be less than vocab_size={vocab_size} of the configuration. Received: "
                f"{largest} in {name} of the first record. Use the configuration that belongs to "
                "the vocabulary that the records were made with."
            )
