"""Encoders of fewer layers."""

import dataclasses
import re
from collections.abc import Sequence

from bert_keras.checkpoints.names import SCOPES
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.tables import without_state
from bert_keras.errors import InputError

_OF_LAYER = re.compile(re.escape(SCOPES["layer"]) + r"_(\d+)/(.+)")


def keep_layers(stored: StoredModel, layers: Sequence[int]) -> StoredModel:
    """The model with only these layers, numbered from 0, one on the other in this order.

    Which are best left out is the question of Sajjad et al. (arXiv:2004.03844): on most tasks the
    top ones, `range(6)` of 12. DistilBERT starts from every second one (arXiv:1910.01108,
    section 3). The rest must be trained to be of use.

    Raises:
        InputError: no layer, one twice, one that the config or the weights do not have.
    """
    weights, num_old = without_state(stored.weights), stored.config.num_hidden_layers
    layers = list(layers)
    if not layers or len(set(layers)) < len(layers) or not set(layers) <= set(range(num_old)):
        raise InputError(
            f"The layers to keep must be one or more of 0 to {num_old - 1}, each once. "
            f"Received: {layers}"
        )
    new_numbers = {old: new for new, old in enumerate(layers)}
    names, found = {}, set()
    for name in weights.shapes:
        match = _OF_LAYER.fullmatch(name)
        if match is None:
            names[name] = name
        elif int(match[1]) in new_numbers:
            found.add(int(match[1]))
            names[f"{SCOPES['layer']}_{new_numbers[int(match[1])]}/{match[2]}"] = name
    if missing := sorted(set(layers) - found):
        raise InputError(
            f"Weights and config must agree: {weights.path} has no layer {missing}. Received: "
            f"num_hidden_layers={num_old}. Take the config that belongs to the weights."
        )
    config = dataclasses.replace(stored.config, num_hidden_layers=len(layers))
    return dataclasses.replace(stored, config=config, weights=weights.renamed(names))
