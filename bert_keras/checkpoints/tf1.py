"""Checkpoints of google-research/bert: their names, and reading weights from them.

Paths of variables are the original's names but for the prefix of the outermost scope.
"""

import difflib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from bert_keras.checkpoints import bundle
from bert_keras.errors import InputError

# outermost layer here -> scopes there
SCOPES = {
    "embeddings": "bert/embeddings",
    "layer": "bert/encoder/layer",
    "pooler": "bert/pooler",
    "predictions": "cls/predictions",
    "seq_relationship": "cls/seq_relationship",
}
ADAM_SLOTS = ("adam_m", "adam_v")
GLOBAL_STEP = "global_step"
DROPOUT_SEED = "dropout_seed_"  # begins the names of seeds in the checkpoints of our own runs
POSITIONS = "bert/embeddings/position_embeddings"
# end of a name -> the key of bert_config.json that decides each axis
CONFIG_KEYS = {
    "word_embeddings": ("vocab_size", "hidden_size"),
    "position_embeddings": ("max_position_embeddings", "hidden_size"),
    "token_type_embeddings": ("type_vocab_size", "hidden_size"),
    "predictions/output_bias": ("vocab_size",),
    "intermediate/dense/kernel": ("hidden_size", "intermediate_size"),
    "intermediate/dense/bias": ("intermediate_size",),
    "output/dense/kernel": ("intermediate_size", "hidden_size"),
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
        if self.missing:
            yield (
                f"{checkpoint}: {len(self.missing)} missing, left at their initial values: "
                f"{', '.join(self.missing)}"
            )
        for name, (stored, wanted) in self.num_rows.items():
            yield (
                f"{checkpoint}: {name} has {stored} rows of {wanted}; rows {stored} to "
                f"{wanted - 1} are left at their initial values"
            )


def original_name(path: str) -> str:
    """`layer_0/attention/self/query/kernel` -> `bert/encoder/layer_0/attention/…`.

    A variable of no layer in `SCOPES` keeps its path as its name.
    """
    outermost, slash, rest = path.partition("/")
    scope, underscore, index = outermost.rpartition("_")
    if index.isdigit() and scope in SCOPES:
        return SCOPES[scope] + underscore + index + slash + rest
    return SCOPES.get(outermost, outermost) + slash + rest


def load_weights(
    model: keras.Model, checkpoint: str, optional: Iterable[str] = ("cls/",)
) -> LoadReport:
    """Copies the weights of a TF1 checkpoint into a model built by `bert_keras.models`.

    Optimizer slots, the step and dropout seeds are passed over. A model for longer sequences than
    the checkpoint's takes its position table as the first rows of its own (paper, appendix A.2: the
    last tenth of the steps learns the positions beyond 128).

    Args:
        model: its variables are found by `original_name`.
        checkpoint: the prefix of its files, such as `…/bert_model.ckpt`.
        optional: how the names begin that may be missing, by default those of the pre-training
            heads; such weights keep their values.

    Raises:
        InputError: no such checkpoint; another weight is missing; two shapes differ; the file is
            damaged. Nothing is changed then.
    """
    reader = _open(checkpoint)
    shapes = reader.get_variable_to_shape_map()
    weights = {original_name(weight.path): weight for weight in model.weights}
    report = LoadReport(
        used=[name for name in weights if name in shapes],
        unused=sorted(name for name in shapes if name not in weights and not _is_state(name)),
        missing=[name for name in weights if name not in shapes],
        num_rows=_fewer_positions(shapes, weights),
    )
    _check_missing(report, checkpoint, shapes, tuple(optional))
    for name in report.used:
        if name not in report.num_rows:
            _check_shape(name, shapes[name], weights[name].shape, checkpoint)
    values = {name: _read(reader, name, checkpoint) for name in report.used}
    for name, (num_stored, _) in report.num_rows.items():
        initial = keras.ops.convert_to_numpy(weights[name])
        values[name] = np.concatenate([values[name], initial[num_stored:]])
    for name, value in values.items():
        weights[name].assign(value)
    return report


def _fewer_positions(shapes: dict, weights: dict) -> dict[str, tuple[int, int]]:
    """The rows of both position tables, under their name, where the checkpoint's has fewer."""
    if POSITIONS not in shapes or POSITIONS not in weights:
        return {}
    stored, wanted = tuple(shapes[POSITIONS]), tuple(weights[POSITIONS].shape)
    is_shorter = stored[1:] == wanted[1:] and stored < wanted
    return {POSITIONS: (stored[0], wanted[0])} if is_shorter else {}


def _is_state(name: str) -> bool:
    """Whether it is part of a run and not of its model."""
    return (
        name == GLOBAL_STEP
        or name.startswith(DROPOUT_SEED)
        or name.rpartition("/")[2] in ADAM_SLOTS
    )


def _open(checkpoint: str):
    prefix = str(checkpoint)
    for suffix in (".index", ".data-00000-of-00001", ".meta"):
        prefix = prefix.removesuffix(suffix)
    try:
        return bundle.reader(prefix)
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        raise InputError(
            "A checkpoint is named by the prefix of its .index and .data files, such as "
            f"bert_model.ckpt. Received: {checkpoint} ({error})"
        ) from error


def _read(reader, name: str, checkpoint: str):
    try:
        return reader.get_tensor(name)
    except (tf.errors.OpError, RuntimeError, IndexError) as error:
        raise InputError(
            f"The checkpoint {checkpoint} is damaged: {name} cannot be read ({error})"
        ) from error


def _check_missing(report: LoadReport, checkpoint: str, shapes: dict, optional: tuple) -> None:
    required = [name for name in report.missing if not name.startswith(optional)]
    if not required:
        return
    lines = []
    for name in required[:3]:
        closest = difflib.get_close_matches(name, shapes, n=1, cutoff=0.0)
        lines.append(f"{name} (closest there: {closest[0] if closest else 'none'})")
    raise InputError(
        f"The checkpoint must hold every weight of the encoder, but {len(required)} are missing. "
        f"Received: {checkpoint} without {'; '.join(lines)}"
    )


def _check_shape(name: str, stored: list[int], wanted: tuple, checkpoint: str) -> None:
    if tuple(stored) == tuple(wanted):
        return
    keys = ("hidden_size",)
    for end, axes in CONFIG_KEYS.items():
        if name.endswith(end) and not name.endswith("attention/output/dense/kernel"):
            differs = [
                len(stored) != len(wanted) or stored[i] != wanted[i] for i in range(len(axes))
            ]
            keys = tuple(key for key, differ in zip(axes, differs, strict=True) if differ)
    raise InputError(
        f"Checkpoint and config must agree: {name} has the shape {list(stored)} in {checkpoint} "
        f"and {list(wanted)} by the config. Change {' and '.join(keys)} of the config, or take "
        "the config that belongs to the checkpoint."
    )
