"""The classes of a head: whether files name them, and whether a head was made for them."""

import dataclasses
from collections.abc import Sequence

import keras

from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.names import (
    HEADED_ALIKE,
    LABEL_BIAS,
    LABEL_WEIGHTS,
    weight_of_state,
)
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import MOST_LABELS
from bert_keras.errors import InputError
from bert_keras.notices import notify


def numbered_labels(num_classes: int) -> tuple[str, ...]:
    """The names that transformers gives to classes without any: LABEL_0, LABEL_1, …"""
    return tuple(f"LABEL_{index}" for index in range(num_classes))


def labels_of_head(stored: StoredModel) -> tuple[str, ...]:
    """The classes of a stored classifier; where the files have no names they are numbered.

    Raises:
        InputError: more than a head can have.
    """
    head = stored.weights.shapes.get(LABEL_WEIGHTS)
    if stored.config.labels or not head:
        return stored.config.labels
    if head[0] > MOST_LABELS:
        raise InputError(
            f"A head has at most {MOST_LABELS} classes. Received: {LABEL_WEIGHTS} of the shape "
            f"{list(head)} in {stored.weights.path}"
        )
    return numbered_labels(head[0])


def relabeled(stored: StoredModel, labels: Sequence[str]) -> StoredModel:
    """With these classes; the head of the files is kept if it may have been made for them.

    That is if the files name the same ones, or as many without names.

    Raises:
        InputError: the labels are no list of names.
    """
    old = stored.config.labels
    config = dataclasses.replace(stored.config, labels=labels)
    weights = stored.weights
    is_naming = old == numbered_labels(len(config.labels)) and not {*old} & {*config.labels}
    is_kept = config.labels == old or is_naming
    if LABEL_WEIGHTS in weights.shapes and not is_kept:
        notify(
            f"{weights.path}: its head is for the labels {', '.join(old)} and not used; without "
            "labels it is"
        )
        weights = _without_head(weights)
    return dataclasses.replace(stored, config=config, weights=weights)


def without_head_of_another(stored: StoredModel, model: str) -> StoredModel:
    """Without the head that files say is for another model, which gives it the same names.

    Args:
        stored: what was read; its `model` is None where the files do not say it.
        model: the one that is wanted.
    """
    said = stored.model
    if said == model or said not in HEADED_ALIKE:
        return stored
    if model in HEADED_ALIKE and LABEL_WEIGHTS in stored.weights.shapes:
        notify(f"{stored.weights.path}: its head is that of a {said} and not used")
    config = dataclasses.replace(stored.config, labels=())
    return dataclasses.replace(stored, config=config, weights=_without_head(stored.weights))


def without_unfit_head(weights: Weights, model: keras.Model) -> Weights:
    """The weights without a head that has another number of outputs than the model's."""
    head = named_variables(model).get(LABEL_WEIGHTS)
    if head is None or weights.shapes.get(LABEL_WEIGHTS, head.shape)[0] == head.shape[0]:
        return weights
    notify(
        f"{weights.path}: its head has {weights.shapes[LABEL_WEIGHTS][0]} outputs and not "
        f"{head.shape[0]}, and is not used"
    )
    return _without_head(weights)


def _without_head(weights: Weights) -> Weights:
    """Without the head of labels, and its moments."""
    return weights.without(
        name for name in weights.shapes if weight_of_state(name) in (LABEL_WEIGHTS, LABEL_BIAS)
    )
