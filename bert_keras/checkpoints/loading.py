"""Weights into a model, by name; what was not read is said."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import keras
import numpy as np

from bert_keras.checkpoints.names import (
    HEADS,
    LAYERS,
    POSITIONS,
    SEGMENTS,
    WORDS,
    is_state,
    original_name,
)
from bert_keras.checkpoints.weights import Weights, check_floating
from bert_keras.config import BertConfig
from bert_keras.errors import InputError

# end of a name -> the key of the config that decides each axis
CONFIG_KEYS = {
    "word_embeddings": ("vocab_size", "hidden_size"),
    "position_embeddings": ("max_position_embeddings", "hidden_size"),
    "token_type_embeddings": ("type_vocab_size", "hidden_size"),
    "predictions/output_bias": ("vocab_size",),
    "intermediate/dense/kernel": ("hidden_size", "intermediate_size"),
    "intermediate/dense/bias": ("intermediate_size",),
    "output/dense/kernel": ("intermediate_size", "hidden_size"),
    "attention/output/dense/kernel": ("hidden_size", "hidden_size"),
    "seq_relationship/output_weights": ("hidden_size", "hidden_size"),
    "squad/output_weights": ("hidden_size", "hidden_size"),
    "output_weights": ("labels", "hidden_size"),
    "output_bias": ("labels",),
}


class LoadReport(NamedTuple):
    """What became of the names: read, in the file only, in the model only.

    `num_rows` holds the rows there and here of each of the used that the model has more rows of.
    """

    used: list[str]
    unused: list[str]
    missing: list[str]
    num_rows: dict[str, tuple[int, int]]

    def notices(self, checkpoint: str) -> Iterator[str]:
        """A line for the user about all that was not read."""
        if self.unused:
            yield f"{checkpoint}: {len(self.unused)} not used: {', '.join(self.unused)}"
        new = [name for name in self.missing if name.startswith(HEADS)]
        missing = [name for name in self.missing if name not in new]
        if new:
            yield f"new, to be learned: {', '.join(new)}"
        if missing:
            yield (
                f"{checkpoint}: {len(missing)} missing, left at their initial values: "
                f"{', '.join(missing)}"
            )
        for name, (stored, wanted) in self.num_rows.items():
            yield (
                f"{checkpoint}: {name} has {stored} rows of {wanted}; rows {stored} to "
                f"{wanted - 1} are left at their initial values"
            )


def load_weights(
    model: keras.Model, weights: Weights, optional: Iterable[str] = HEADS
) -> LoadReport:
    """Copies the weights of a checkpoint into a model built by `bert_keras.models`.

    Optimizer slots, the step and dropout seeds are passed over. A model for longer sequences than
    the checkpoint's takes its position table as the first rows of its own (paper, appendix A.2: the
    last tenth of the steps learns the positions beyond 128).

    Args:
        model: its variables are found by `original_name`.
        weights: as a format's module opens them.
        optional: how the names begin that may be missing, by default those of heads; such weights
            keep their values.

    Raises:
        InputError: the model has no variables yet; another weight is missing; two shapes differ
            (nothing is read then); the file is damaged (the model holds some of its weights then).
    """
    variables = named_variables(model)
    wanted = {name: tuple(variable.shape) for name, variable in variables.items()}
    report = match(weights, wanted, optional)
    for name in report.used:
        value = weights.read(name)
        check_floating(name, value, weights.path)
        if name in report.num_rows:
            num_stored, _ = report.num_rows[name]
            initial = variables[name].value.numpy()
            value = np.concatenate([value, initial[num_stored:]])
        variables[name].assign(value)
    return report


def named_variables(model: keras.Model) -> dict[str, keras.Variable]:
    """The weights of a model by their names in the original.

    Raises:
        InputError: it has none.
    """
    if not model.weights:
        raise InputError(
            "A model takes weights when its variables exist. Received: a model that is not built. "
            "Call it once on a batch, or make it with a function of bert_keras.models."
        )
    return {original_name(weight.path): weight for weight in model.weights}


def match(
    weights: Weights, wanted: Mapping[str, tuple[int, ...]], optional: Iterable[str] = HEADS
) -> LoadReport:
    """Holds the names and shapes of a file against those of a model, before anything is read.

    Args:
        weights: those of the file.
        wanted: dict of name -> shape.
        optional: how the names begin that may be missing.

    Raises:
        InputError: a weight that is not optional is missing; two shapes differ.
    """
    shapes = weights.shapes
    report = LoadReport(
        used=[name for name in wanted if name in shapes],
        unused=sorted(name for name in shapes if name not in wanted and not is_state(name)),
        missing=[name for name in wanted if name not in shapes],
        num_rows=_fewer_positions(shapes, wanted),
    )
    check_missing(
        [name for name in report.missing if not name.startswith(tuple(optional))], weights
    )
    for name in report.used:
        if name not in report.num_rows:
            _check_shape(name, shapes[name], wanted[name], weights.path)
    return report


def check_config(weights: Weights, config: BertConfig) -> None:
    """Holds the sizes of a config against the weights, before a model of these sizes is built.

    Raises:
        InputError: there is no encoder, or it has other sizes.
    """
    first_layer = f"{LAYERS}_0/"
    wanted = {
        WORDS: (config.vocab_size, config.hidden_size),
        POSITIONS: (config.max_position_embeddings, config.hidden_size),
        SEGMENTS: (config.type_vocab_size, config.hidden_size),
        f"{first_layer}intermediate/dense/kernel": (config.hidden_size, config.intermediate_size),
    }
    check_missing([name for name in wanted if name not in weights.shapes], weights)
    for name, shape in wanted.items():
        _check_shape(name, weights.shapes[name], shape, weights.path)
    numbers = {
        name[len(LAYERS) + 1 :].partition("/")[0]
        for name in weights.shapes
        if name.startswith(f"{LAYERS}_")
    }
    if len(numbers) != config.num_hidden_layers:
        raise InputError(
            f"Checkpoint and config must agree: {weights.path} has {len(numbers)} layers, the "
            f"config {config.num_hidden_layers}. Change num_hidden_layers of the config, or take "
            "the config that belongs to the checkpoint."
        )


def _fewer_positions(shapes: Mapping, wanted: Mapping) -> dict[str, tuple[int, int]]:
    """The rows of both position tables, under their name, where the checkpoint's has fewer."""
    if POSITIONS not in shapes or POSITIONS not in wanted:
        return {}
    there, here = tuple(shapes[POSITIONS]), tuple(wanted[POSITIONS])
    return {POSITIONS: (there[0], here[0])} if there[1:] == here[1:] and there < here else {}


def check_missing(names: list[str], weights: Weights) -> None:
    """Raises InputError, with the closest names that are there, if there is a missing name."""
    if not names:
        return
    lines = []
    for name in names[:3]:
        closest = difflib.get_close_matches(name, weights.shapes, n=1, cutoff=0.0)
        lines.append(f"{name} (closest there: {closest[0] if closest else 'none'})")
    raise InputError(
        f"The checkpoint must hold every weight that the model needs, but {len(names)} are "
        f"missing. Received: {weights.path} without {'; '.join(lines)}"
    )


def _check_shape(name: str, stored: tuple, wanted: tuple, checkpoint: str) -> None:
    if tuple(stored) == tuple(wanted):
        return
    ends = [end for end in CONFIG_KEYS if name.endswith(end)]
    axes = CONFIG_KEYS[max(ends, key=len)] if ends else ("hidden_size",)
    if len(stored) == len(wanted) == len(axes):
        axes = [key for key, a, b in zip(axes, stored, wanted, strict=True) if a != b]
    keys = " and ".join(dict.fromkeys(axes))
    raise InputError(
        f"Checkpoint and config must agree: {name} has the shape {list(stored)} in {checkpoint} "
        f"and {list(wanted)} by the config. Change {keys} of the config, or take "
        "the config that belongs to the checkpoint."
    )
