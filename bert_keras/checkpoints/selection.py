"""Which weights of a stored model belong to the model that is wanted, and which it lacks."""

import dataclasses
from collections.abc import Callable, Sequence

import keras

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.loading import compare, named_variables
from bert_keras.checkpoints.names import GLOBAL_STEP, HEADS, POOLER, weight_of_state
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify

LABEL_HEAD = ("output_weights", "output_bias")


def relabeled(stored: StoredModel, labels: Sequence[str]) -> StoredModel:
    """With a head for these labels; that of the files is kept only if it was made for them."""
    labels, old = tuple(labels), stored.config.labels
    weights = stored.weights
    if old not in ((), labels) and LABEL_HEAD[0] in weights.shapes:
        notify(f"{weights.path}: the head for the labels {', '.join(old)} is not used")
        weights = weights.renamed(
            {name: name for name in weights.shapes if weight_of_state(name) not in LABEL_HEAD}
        )
    config = dataclasses.replace(stored.config, labels=labels)
    return dataclasses.replace(stored, config=config, weights=weights)


def selected(stored: StoredModel, model: str | None) -> StoredModel:
    """The weights that belong to a model, with their moments and the step, and no others.

    Args:
        stored: what was read.
        model: a function of `bert_keras.models` by its name. None keeps the model of the files and
            all else of BERT's that lies there, such as the pooler that the original saves with a
            SQuAD model.
    """
    wanted = set(shapes_of(BUILDERS[model or stored.model], stored.config))
    if not model:
        wanted |= _all_names(stored.config)
    names = [name for name in stored.weights.shapes if weight_of_state(name) in wanted]
    weights = stored.weights.renamed({name: name for name in names})
    return dataclasses.replace(stored, weights=weights, model=model or stored.model)


def completed(stored: StoredModel, allow_fresh: bool, seed: int) -> tuple[StoredModel, list[str]]:
    """Holds the weights against the config, and gives those that are missing random values.

    Args:
        stored: its `model` says which weights it needs.
        allow_fresh: whether heads and a pooler may be missing.
        seed: of the random values.

    Returns:
        The model with all its weights, and the names of the fresh ones.

    Raises:
        InputError: a weight is missing; a shape is not as the config has it. No value of the
            weights was read then.
    """
    build = BUILDERS[stored.model]
    wanted = shapes_of(build, stored.config)
    report = compare(stored.weights, wanted, (*HEADS, POOLER))
    if not report.missing:
        return stored, []
    if not allow_fresh:
        raise InputError(
            f"A {stored.model} must have all its weights, but {len(report.missing)} are missing. "
            f"Received: {stored.weights.path} without {', '.join(report.missing)}. Take another "
            "--model, or let them begin at random values with --allow_fresh."
        )
    keras.utils.set_random_seed(seed)
    variables = named_variables(build(stored.config))
    values = {name: variables[name].value.numpy() for name in report.missing}
    return dataclasses.replace(stored, weights=stored.weights.with_values(values)), report.missing


def shapes_of(
    build: Callable[[BertConfig], keras.Model], config: BertConfig
) -> dict[str, tuple[int, ...]]:
    """The original's names and the shapes of a model's weights; none of them is allocated."""
    with keras.StatelessScope(initialize_variables=False):
        variables = named_variables(build(config))
    return {name: tuple(variable.shape) for name, variable in variables.items()}


def _all_names(config: BertConfig) -> set[str]:
    """The names of all weights that one of our models has, and of the step."""
    labeled = dataclasses.replace(config, labels=config.labels or ("any",))
    models = ("pretrainer", "classifier", "question_answering")
    return {GLOBAL_STEP}.union(*(shapes_of(BUILDERS[model], labeled) for model in models))
