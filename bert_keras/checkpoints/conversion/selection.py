"""Which weights of a stored model belong to the model that is wanted, and which it lacks."""

import dataclasses
import gc

import keras
import numpy as np

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.loading import check_missing, named_variables
from bert_keras.checkpoints.names import (
    ENCODERS,
    GLOBAL_STEP,
    HEADS,
    POOLER,
    is_known,
    names_of,
    weight_of_state,
)
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.errors import InputError


def selected(stored: StoredModel, model: str, keeps_all: bool) -> StoredModel:
    """The weights that belong to a model, with their moments and the step, and no others.

    Args:
        stored: what was read.
        model: a function of `bert_keras.models` by its name.
        keeps_all: whether all else of BERT's that lies there belongs to it too, such as the pooler
            that the original saves with a SQuAD model.

    Raises:
        InputError: a moment has another shape than its weight.
    """
    shapes = stored.weights.shapes
    wanted = {GLOBAL_STEP, *names_of(model, stored.config.num_hidden_layers)}
    wanted |= set(filter(is_known, shapes)) if keeps_all else set()
    weights = stored.weights.without(name for name in shapes if weight_of_state(name) not in wanted)
    for name, shape in weights.shapes.items():
        if name == GLOBAL_STEP and shape != () or shape != shapes.get(weight_of_state(name)):
            raise InputError(
                f"A moment has the shape of its weight, the step none. Received: {name} of the "
                f"shape {list(shape)} in {weights.path}"
            )
    pooling = stored.pooling if model in ENCODERS else None
    return dataclasses.replace(stored, weights=weights, model=model, pooling=pooling)


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
    fresh = stored.weights.with_values(_initial_values(stored, missing, seed))
    return dataclasses.replace(stored, weights=fresh), missing


def _initial_values(stored: StoredModel, names: list[str], seed: int) -> dict[str, np.ndarray]:
    """Of heads and poolers, which are as large as their model is wide, however deep it is."""
    keras.utils.set_random_seed(seed)
    model = BUILDERS[stored.model](dataclasses.replace(stored.config, num_hidden_layers=1))
    variables = named_variables(model)
    values = {name: variables[name].value.numpy() for name in names}
    del model, variables
    gc.collect()  # a model is full of cycles, and the next one as large
    return values
