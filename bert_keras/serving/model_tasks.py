"""Which task a model is for, by the names of both."""

from collections.abc import Mapping
from typing import Any

from bert_keras.errors import InputError
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tasks.tagging.task import Tagging
from bert_keras.tasks.task import Task
from bert_keras.tasks.vectors.embedding import Embedding
from bert_keras.tasks.vectors.features import Features

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (
        Classification,
        Tagging,
        QuestionAnswering,
        MultipleChoice,
        FillMask,
        Embedding,
        Features,
    )
}
# Task -> the models that can do it; the vectors are those of the encoder, which every model has.
MODELS = {
    Classification.name: ("classifier",),
    Tagging.name: ("token_classifier",),
    QuestionAnswering.name: ("question_answering",),
    MultipleChoice.name: ("multiple_choice",),
    FillMask.name: ("masked_lm", "pretrainer"),
}
VECTORS = (Embedding.name, Features.name)
# Tasks that read a long text to its end, in windows; their answers say where in it they stand.
WITH_OFFSETS = (Tagging.name, QuestionAnswering.name)


def usual_task(model: str) -> str:
    """The name of the task that a model, a function of `bert_keras.models`, was made for."""
    return next((name for name, models in MODELS.items() if model in models), Embedding.name)


def check_model(task: str, model: str, path: str) -> None:
    """Raises InputError if a task is none, or needs another head than the model has."""
    if not isinstance(task, str) or task not in TASKS:
        raise InputError(f"--task must be one of {', '.join(TASKS)}. Received: {task}")
    if task not in VECTORS and model not in MODELS[task]:
        raise InputError(
            f"The task {task} needs a model with the head of a {' or '.join(MODELS[task])}. "
            f"Received: a {model} in {path}"
        )


def check_fields(task: str, fields: Mapping[str, Any], place: str) -> None:
    """Raises InputError if a task has no such field, or one of another type; it names the place."""
    usual = vars(TASKS[task]())
    for key, value in fields.items():
        if key not in usual:
            raise InputError(
                f"{place}: the task {task} has {', '.join(usual)}. Received: {key!r:.100}"
            )
        if not _is_alike(value, usual[key]):
            raise InputError(
                f"{place}: {key} must be like {usual[key]!r}. Received: {value!r:.100}"
            )


def _is_alike(value: Any, usual: Any) -> bool:
    """Whether it has the type of the usual value; what counts things is from 1 to 2**31 - 1."""
    if type(usual) is float:
        return type(value) in (int, float) and abs(value) < float("inf")
    return type(value) is type(usual) and (type(value) is not int or 1 <= value < 2**31)
