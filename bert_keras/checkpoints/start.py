"""The model that a program starts from, as its flags name it."""

import dataclasses

import keras

from bert_keras.checkpoints.formats import detection
from bert_keras.checkpoints.formats.config_files import read_config_file
from bert_keras.checkpoints.labels import (
    relabeled,
    without_head_of_another,
    without_unfit_head,
)
from bert_keras.checkpoints.loading import check_config, load_weights
from bert_keras.checkpoints.model_settings import ModelSettings
from bert_keras.checkpoints.names import HEADS, POOLER
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import known_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def read_start(settings: ModelSettings) -> StoredModel:
    """Reads what the flags name; values of weights are read later, None are drawn at random.

    Raises:
        InputError: a file is missing or damaged, or files contradict each other.
    """
    if settings.bert_config_file and settings.vocab_file:
        return _of_files(settings)
    if not settings.init_checkpoint:
        raise InputError(
            "A model must be named: --init_checkpoint, the folder of a pretrained one, or "
            "--bert_config_file and --vocab_file for a new one. Received: "
            f"{'a file without the other' if _names_file(settings) else 'none of them'}"
        )
    start = read_folder(settings.init_checkpoint, settings.do_lower_case)
    if settings.bert_config_file:
        config, _ = read_config_file(settings.bert_config_file)
        check_config(start.weights, config)
        start = dataclasses.replace(start, config=config)
    if settings.vocab_file:
        start = dataclasses.replace(start, tokenizer=_tokenizer(settings))
    return start


def read_folder(folder: str, do_lower_case: bool | None) -> StoredModel:
    """Reads the model of a folder, whoever wrote it.

    Raises:
        InputError: as `read_start`; it holds no vocabulary.
    """
    stored = detection.read_model(folder, do_lower_case)
    if stored.tokenizer is None:
        raise InputError(
            "A model needs its vocabulary: vocab.txt or tokenizer.json beside it, or --vocab_file. "
            f"Received: {stored.weights.path} without"
        )
    return stored


def check_fit(start: StoredModel, max_seq_length: int) -> None:
    """Raises InputError if examples or vocabulary are larger than the tables of the model."""
    config, vocab_size = start.config, start.tokenizer.vocab_size
    if max_seq_length > config.max_position_embeddings:
        raise InputError(
            f"--max_seq_length must not exceed max_position_embeddings="
            f"{config.max_position_embeddings} of the model. Received: {max_seq_length}. Lower it, "
            "or enlarge the table with python -m bert_keras.run_conversion."
        )
    if vocab_size > config.vocab_size:
        raise InputError(
            f"The vocabulary must not be larger than vocab_size={config.vocab_size} of the model. "
            f"Received: {vocab_size} entries"
        )


def initialize(
    model: keras.Model, start: StoredModel, config: BertConfig, is_trained: bool
) -> None:
    """Gives a model, built from `config`, the weights of `start`, and says what was not read.

    A head is taken if it was made for the same labels.

    Args:
        model: made by a function of `bert_keras.models`.
        start: where the weights come from.
        config: names the labels of the model.
        is_trained: whether what is missing will be learned: head and pooler may be then.

    Raises:
        InputError: a weight is missing, or the file is damaged.
    """
    if start.weights is None:
        return
    fitting = without_head_of_another(start, model.name)
    if config.labels:
        fitting = relabeled(fitting, config.labels)
    weights = without_unfit_head(fitting.weights, model)
    report = load_weights(model, weights, optional=(*HEADS, POOLER))
    if report.missing and not is_trained:
        raise InputError(
            f"{model.name} cannot be used before it is trained: {weights.path} lacks "
            f"{', '.join(report.missing)}. Train with --do_train, or name a fine-tuned model."
        )
    # Heads of other tasks are never wanted.
    unused = [name for name in report.unused if not name.startswith((*HEADS, POOLER))]
    for line in report._replace(unused=unused).notices(weights.path):
        notify(line)


def _names_file(settings: ModelSettings) -> bool:
    return bool(settings.bert_config_file or settings.vocab_file)


def _of_files(settings: ModelSettings) -> StoredModel:
    """The original's way: every file is named, the weights by their prefix."""
    config, _ = read_config_file(settings.bert_config_file)
    weights = None
    if settings.init_checkpoint:
        weights = detection.read_weights(settings.init_checkpoint)
        check_config(weights, config)
    return StoredModel(config, _tokenizer(settings), weights)


def _tokenizer(settings: ModelSettings) -> WordPieceTokenizer:
    do_lower_case = settings.do_lower_case
    if do_lower_case is None:
        vocabulary = WordPieceTokenizer(settings.vocab_file).vocab
        do_lower_case = known_case(vocabulary, settings.init_checkpoint) is not False
    return WordPieceTokenizer(settings.vocab_file, do_lower_case)
