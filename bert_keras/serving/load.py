"""A folder with a model of any format -> all that is needed to answer with it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras

from bert_keras.checkpoints.builders import BUILDERS, shown_model
from bert_keras.checkpoints.formats.task_files import TASK_FILE
from bert_keras.checkpoints.start import initialize, read_folder
from bert_keras.checkpoints.stored_model import Pooling, StoredModel
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.layers.initializers import zeros_to_be_loaded
from bert_keras.models.bert import unpooled_bert
from bert_keras.models.sentence_encoder import sentence_encoder
from bert_keras.notices import notify
from bert_keras.serving.model_tasks import (
    TASKS,
    VECTORS,
    WITH_OFFSETS,
    check_fields,
    check_model,
    usual_task,
)
from bert_keras.tasks.task import Task
from bert_keras.tasks.vectors.embedding import Embedding
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

FEWEST_TOKENS = 3  # [CLS], a piece, [SEP]
USUAL_POOLING = Pooling(("mean",), normalize=False)


class LoadedModel(NamedTuple):
    """A model that answers.

    Attributes:
        task: texts -> inputs of the model, its outputs -> answers.
        config: names the labels.
        tokenizer: that of the model.
        model: takes its inputs by name; its outputs are a dict.
        pooling: of an embedding, how the vectors of tokens became one.
    """

    task: Task
    config: BertConfig
    tokenizer: WordPieceTokenizer
    model: keras.Model
    pooling: Pooling | None


def load_model(path: str, task_name: str | None = None, **fields: Any) -> LoadedModel:
    """Loads a model with its weights.

    Args:
        path: what `from_pretrained` takes.
        task_name: one of `model_tasks.TASKS`; by default what the folder says, or what its head is
            for.
        fields: of the task, in place of those that the folder says; None: as there.

    Raises:
        InputError: a file is missing or damaged; the model has no head for the task; a field is
            unknown or impossible.
    """
    stored = read_folder(path, do_lower_case=None)
    model = stored.model or shown_model(stored.weights.shapes)
    name = task_name or stored.task.get("task") or usual_task(model)
    check_model(name, model, path)
    given = {key: value for key, value in fields.items() if value is not None}
    task = _task(name, stored, given, path)
    pooling = (stored.pooling or USUAL_POOLING) if name == Embedding.name else None
    built = _model(stored, model, name, pooling)
    return LoadedModel(task, stored.config, stored.tokenizer, built, pooling)


def _task(name: str, stored: StoredModel, given: dict[str, Any], path: str) -> Task:
    """The task with the fields that are given, else stored, else usual."""
    said = {key: value for key, value in stored.task.items() if key != "task"}
    if stored.task.get("task") != name:
        said = {}
    num_positions = stored.config.max_position_embeddings
    check_fields(name, said, f"{path}/{TASK_FILE}")
    check_fields(name, given, "the settings")
    task = TASKS[name](**{"max_seq_length": _longest(name, stored)} | said | given)
    if not FEWEST_TOKENS <= task.max_seq_length <= num_positions:
        raise InputError(
            f"max_seq_length must be from {FEWEST_TOKENS} to {num_positions}, the "
            f"max_position_embeddings of the model. Received: {task.max_seq_length}"
        )
    return task


def _longest(name: str, stored: StoredModel) -> int:
    """The length of examples where nothing says it: what the model takes, or usual windows."""
    num_positions = stored.config.max_position_embeddings
    if name in WITH_OFFSETS:
        return min(TASKS[name]().max_seq_length, num_positions)
    of_pooling = stored.pooling and stored.pooling.max_seq_length
    return min(of_pooling or num_positions, num_positions)


def _model(stored: StoredModel, model: str, task: str, pooling: Pooling | None) -> keras.Model:
    build: Callable[[BertConfig], keras.Model] = BUILDERS[model]
    if task in VECTORS:
        build = unpooled_bert
    with zeros_to_be_loaded():
        built = build(stored.config)
    initialize(built, stored, stored.config, is_trained=False)
    if pooling:
        if not stored.pooling:
            notify("nothing says how the vectors of tokens become one: their mean is taken")
        return sentence_encoder(built, pooling.modes, pooling.normalize)
    return built
