"""What a fine-tuning begins with: a pretrained model, or a new one of some configuration."""

import dataclasses
from typing import Any

import keras
import tensorflow as tf

from bert_keras.checkpoints import pretrained
from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.checkpoints.formats import checkpoint_folders, detection, native
from bert_keras.checkpoints.formats.config_files import OWN_CONFIG_FILE, read_config_file
from bert_keras.checkpoints.labels import relabeled, without_unfit_head
from bert_keras.checkpoints.loading import check_config, load_weights
from bert_keras.checkpoints.names import HEADS, POOLER
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import known_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import run_folder, run_state


@dataclasses.dataclass(frozen=True)
class Start:
    """A model before its training.

    `weights` is None where they are to be drawn at random.
    """

    config: BertConfig
    tokenizer: WordPieceTokenizer
    weights: Weights | None


def read_start(settings: Any) -> Start:
    """Reads what the `FineTuningSettings` name; values of weights are read later.

    Without `do_train` it is the model of the output folder, if there is one: the finished one, or
    the newest checkpoint of a run that is not.

    Raises:
        InputError: a file is missing or damaged, or files contradict each other.
    """
    if settings.do_train:
        return read_named(settings)
    if _holds_model(settings.output_dir):
        if settings.init_checkpoint:
            notify(f"the model of {settings.output_dir} is used, and not --init_checkpoint")
        return _of_stored(detection.read_model(settings.output_dir, settings.do_lower_case))
    start = read_named(settings)
    if start.weights is None:
        raise InputError(
            f"There is nothing to evaluate: {settings.output_dir} holds no model and "
            "--init_checkpoint is not given. Train with --do_train, or name one."
        )
    return start


def read_named(settings: Any) -> Start:
    """Reads what `init_checkpoint`, `bert_config_file`, `vocab_file` and `do_lower_case` name.

    Raises:
        InputError: as `read_start`.
    """
    if settings.bert_config_file and settings.vocab_file:
        return _of_files(settings)
    if not settings.init_checkpoint:
        raise InputError(
            "A model must be named: --init_checkpoint, the folder of a pretrained one, or "
            "--bert_config_file and --vocab_file for a new one. Received: "
            f"{'a file without the other' if _names_file(settings) else 'none of them'}"
        )
    start = _of_stored(detection.read_model(settings.init_checkpoint, settings.do_lower_case))
    if settings.bert_config_file:
        config, _ = read_config_file(settings.bert_config_file)
        check_config(start.weights, config)
        start = dataclasses.replace(start, config=config)
    if settings.vocab_file:
        start = dataclasses.replace(start, tokenizer=_tokenizer(settings))
    return start


def describe_run(model: keras.Model, tokenizer: WordPieceTokenizer, folder: str) -> None:
    """Makes the folder of a new run one of a model, whose weights are those of its checkpoints.

    Raises:
        InputError: it holds a model that no run made there, which would be lost.
    """
    if run_state.saved_steps(folder):
        return
    pretrained.check_no_other_model(folder)
    if _holds_model(folder) and not run_folder.read_settings(folder):
        raise InputError(
            f"A run needs a folder of its own. Received: --output_dir={folder}, which holds a "
            "finished model. Use another folder, with this one as --init_checkpoint."
        )
    native.write_description(stored_model_of(model, tokenizer), folder)


def check_fit(start: Start, max_seq_length: int) -> None:
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


def initialize(model: keras.Model, start: Start, config: BertConfig) -> None:
    """Gives a model, built from `config`, the weights of `start`, and says what was not read.

    A head is taken if it was made for the same labels, and so may be a pooler.

    Raises:
        InputError: a weight is missing, or the file is damaged.
    """
    if start.weights is None:
        return
    stored = StoredModel(start.config, None, start.weights)
    weights = relabeled(stored, config.labels).weights if config.labels else start.weights
    weights = without_unfit_head(weights, model)
    report = load_weights(model, weights, optional=(*HEADS, POOLER))
    # Pretraining heads and the head of another task are never wanted.
    unused = [name for name in report.unused if not name.startswith((*HEADS, POOLER))]
    for line in report._replace(unused=unused).notices(weights.path):
        notify(line)


def _holds_model(folder: str | None) -> bool:
    if not folder or not tf.io.gfile.exists(tf.io.gfile.join(folder, OWN_CONFIG_FILE)):
        return False
    return checkpoint_folders.find_checkpoint(folder) is not None


def _names_file(settings: Any) -> bool:
    return bool(settings.bert_config_file or settings.vocab_file)


def _of_stored(stored: StoredModel) -> Start:
    if stored.tokenizer is None:
        raise InputError(
            "A model needs its vocabulary: vocab.txt or tokenizer.json beside it, or --vocab_file. "
            f"Received: {stored.weights.path} without"
        )
    return Start(stored.config, stored.tokenizer, stored.weights)


def _of_files(settings: Any) -> Start:
    """The original's way: every file is named, the weights by their prefix."""
    config, _ = read_config_file(settings.bert_config_file)
    weights = None
    if settings.init_checkpoint:
        weights = detection.read_weights(settings.init_checkpoint)
        check_config(weights, config)
    return Start(config, _tokenizer(settings), weights)


def _tokenizer(settings: Any) -> WordPieceTokenizer:
    do_lower_case = settings.do_lower_case
    if do_lower_case is None:
        vocabulary = WordPieceTokenizer(settings.vocab_file).vocab
        do_lower_case = known_case(vocabulary, settings.init_checkpoint) is not False
    return WordPieceTokenizer(settings.vocab_file, do_lower_case)
