"""Which weights of a stored model belong to the model that is wanted, and which it lacks."""

import dataclasses
from collections.abc import Sequence

import keras

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.formats.hugging_face_config import numbered_labels
from bert_keras.checkpoints.loading import check_missing, named_variables
from bert_keras.checkpoints.names import (
    GLOBAL_STEP,
    HEADS,
    POOLER,
    is_known,
    names_of,
    weight_of_state,
)
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.errors import InputError
from bert_keras.notices import notify

LABEL_HEAD = ("output_weights", "output_bias")


def relabeled(stored: StoredModel, labels: Sequence[str]) -> StoredModel:
    """With these classes; the head of the files is kept if it may have been made for them.

    That is if the files name the same ones, or as many without names.

    Raises:
        InputError: the labels are no list of names.
    """
    old = stored.config.labels
    config = dataclasses.replace(stored.config, labels=labels)
    weights = stored.weights
    is_same = config.labels == old
    is_naming = old == numbered_labels(len(config.labels))
    if LABEL_HEAD[0] in weights.shapes and not is_same and not is_naming:
        notify(
            f"{weights.path}: its head is for the labels {', '.join(old)} and not used; without "
            "labels it is"
        )
        weights = weights.renamed(
            {name: name for name in weights.shapes if weight_of_state(name) not in LABEL_HEAD}
        )
    return dataclasses.replace(stored, config=config, weights=weights)


def selected(stored: StoredModel, model: str | None) -> StoredModel:
    """The weights that belong to a model, with their moments and the step, and no others.

    Args:
        stored: what was read.
        model: a function of `bert_keras.models` by its name. None keeps the model of the files and
            all else of BERT's that lies there, such as the pooler that the original saves with a
            SQuAD model.
    """
    wanted = {GLOBAL_STEP, *names_of(model or stored.model, stored.config.num_hidden_layers)}
    names = [
        name
        for name in stored.weights.shapes
        if weight_of_state(name) in wanted or not model and is_known(weight_of_state(name))
    ]
    weights = stored.weights.renamed({name: name for name in names})
    return dataclasses.replace(stored, weights=weights, model=model or stored.model)


def completed(stored: StoredModel, allow_fresh: bool, seed: int) -> tuple[StoredModel, list[str]]:
    """Gives weights that are missing random values, if they may be missing.

    Args:
        stored: its `model` says which weights it needs.
        allow_fresh: whether heads and a pooler may be missing.
        seed: of the random values.

    Returns:
        The model with all its weights, and the names of the fresh ones.

    Raises:
        InputError: a weight is missing.
    """
    wanted = names_of(stored.model, stored.config.num_hidden_layers)
    missing = [name for name in wanted if name not in stored.weights.shapes]
    check_missing(
        [name for name in missing if not name.startswith((*HEADS, POOLER))], stored.weights
    )
    if not missing:
        return stored, []
    if not allow_fresh:
        raise InputError(
            f"A {stored.model} must have all its weights, but {len(missing)} are missing. "
            f"Received: {stored.weights.path} without {', '.join(missing)}. Take another "
            "--model, or let them begin at random values with --allow_fresh."
        )
    keras.utils.set_random_seed(seed)
    variables = named_variables(BUILDERS[stored.model](stored.config))
    values = {name: variables[name].value.numpy() for name in missing}
    return dataclasses.replace(stored, weights=stored.weights.with_values(values)), missing
