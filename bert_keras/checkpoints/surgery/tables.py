"""What every operation needs: tables with other rows, and no state of the run."""

from collections.abc import Callable, Mapping

import numpy as np

from bert_keras.checkpoints.names import is_state
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from bert_keras.notices import notify


def num_rows(stored: StoredModel, name: str, key: str) -> int:
    """The rows of a table, which its config has as `key`.

    Raises:
        InputError: there is no such table, or the config says another number.
    """
    weights, expected = stored.weights, getattr(stored.config, key)
    if name not in weights.shapes:
        raise InputError(
            f"To change {key}, weights must hold {name}. Received: {weights.path} without it. "
            "Take the checkpoint of a whole BERT."
        )
    shape = tuple(weights.shapes[name])
    if shape[0] != expected:
        raise InputError(
            f"Weights and config must agree: {name} has the shape {list(shape)} in {weights.path}. "
            f"Received: {key}={expected}. Take the config that belongs to the weights."
        )
    return shape[0]


def with_rows(
    weights: Weights, rows: int, tables: Mapping[str, Callable[[np.ndarray], np.ndarray]]
) -> Weights:
    """The weights with some tables, [old rows, ...], computed anew, [rows, ...], when read."""
    shapes = dict(weights.shapes)
    for name in tables:
        shapes[name] = (rows, *shapes[name][1:])

    def read(name: str) -> np.ndarray:
        value = weights.read(name)
        return tables[name](np.asarray(value)) if name in tables else value

    return Weights(weights.path, shapes, read)


def without_state(weights: Weights) -> Weights:
    """The weights without moments, step and dropout seeds, which belong to the model as it was."""
    kept = {name: name for name in weights.shapes if not is_state(name)}
    if len(kept) < len(weights.shapes):
        notify(
            f"{weights.path}: the state of its training ({len(weights.shapes) - len(kept)} tensors:"
            " Adam's moments, step, dropout seeds) belongs to the old shape and is left out."
        )
    return weights.renamed(kept)
