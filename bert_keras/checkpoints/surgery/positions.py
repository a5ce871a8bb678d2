"""Position tables of another length."""

import dataclasses
import functools

import numpy as np

from bert_keras.checkpoints.names import POSITIONS
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.tables import num_rows, with_rows, without_state
from bert_keras.errors import InputError


def extend_positions(
    stored: StoredModel, num_positions: int, new_positions: str = "copy"
) -> StoredModel:
    """The model for sequences of up to `num_positions` tokens.

    Args:
        new_positions: "copy" repeats the table: row i is old row i modulo their number, so that
            texts of the old lengths give the outputs they gave, bit for bit (Longformer,
            arXiv:2004.05150, section 5). "interpolate" stretches it: row i of M lies at
            i * (N - 1) / (M - 1) of the N old rows, on the line between the two next to it, so that
            the first and the last stay what they were (in two dimensions: Vision Transformer,
            arXiv:2010.11929, section 3.2); outputs change for every text of more than one token.
            Either is a start for training. A shorter table has the first old rows with both.

    Raises:
        InputError: not a positive number, no such way, no position table, or a single row to
            interpolate.
    """
    if new_positions not in NEW_POSITIONS:
        raise InputError(
            f"new_positions must be one of {', '.join(NEW_POSITIONS)}. Received: {new_positions!r}"
        )
    config = dataclasses.replace(stored.config, max_position_embeddings=num_positions)
    num_old = num_rows(stored, POSITIONS, "max_position_embeddings")
    change = _first_rows if num_positions <= num_old else NEW_POSITIONS[new_positions]
    if change is _interpolate and num_old == 1:
        raise InputError(
            "Interpolation needs two positions or more. Received: max_position_embeddings=1. "
            "new_positions=copy repeats the one row."
        )
    tables = {POSITIONS: functools.partial(change, num_new=num_positions)}
    weights = with_rows(without_state(stored.weights), num_positions, tables)
    return dataclasses.replace(stored, config=config, weights=weights)


def _first_rows(old: np.ndarray, num_new: int) -> np.ndarray:
    return old[:num_new]


def _copy(old: np.ndarray, num_new: int) -> np.ndarray:
    """Rows [N, H] -> [M, H]."""
    return old[np.arange(num_new) % len(old)]


def _interpolate(old: np.ndarray, num_new: int) -> np.ndarray:
    """Rows [N, H] -> [M, H], computed in float64."""
    places = np.linspace(0, len(old) - 1, num_new)
    before = np.minimum(places.astype(np.int64), len(old) - 2)
    share = (places - before)[:, np.newaxis]  # of the row after; the last row: 1 of it
    return ((1 - share) * old[before] + share * old[before + 1]).astype(old.dtype)


NEW_POSITIONS = {"copy": _copy, "interpolate": _interpolate}
