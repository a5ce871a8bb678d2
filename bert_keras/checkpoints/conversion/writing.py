"""A model as a new folder, in any format: whole or not there."""

import dataclasses
import math
from collections.abc import Callable

import tensorflow as tf

from bert_keras.checkpoints.formats import hugging_face, native, tf1
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from bert_keras.files import UNFINISHED
from bert_keras.progress import Progress

# --format -> what writes it
WRITERS = {
    "tf1": tf1.write,
    "hugging_face": hugging_face.write,
    "bert_keras": native.write,
}
FLOAT32 = 4  # bytes


def write(
    stored: StoredModel,
    folder: str,
    format_name: str,
    max_shard_size: int | None = None,
    check_unheld: Callable[[list[str]], None] = list,
) -> list[str]:
    """Writes a model under another name, then renames the folder: it is whole or not there.

    Args:
        stored: what to write.
        folder: a new one, or an empty one.
        format_name: one of `WRITERS`.
        max_shard_size: the most bytes of one file of weights; None: a single one.
        check_unheld: takes what is returned, and may raise before the folder appears.

    Returns:
        The names of the weights that the format cannot hold.

    Raises:
        InputError: something is there already, or it cannot be written.
    """
    check_output(folder)
    unfinished = f"{folder.rstrip('/')}{UNFINISHED}"
    try:
        _remove(unfinished)
        tf.io.gfile.makedirs(unfinished)
        with Progress("converting", _num_bytes(stored.weights), "B") as progress:
            shown = dataclasses.replace(stored, weights=_shown(stored.weights, progress))
            unheld = WRITERS[format_name](shown, unfinished, max_shard_size)
        check_unheld(unheld)
        check_output(folder)  # again: another process may have been faster
        _remove(folder)
        tf.io.gfile.rename(unfinished, folder)
    except tf.errors.OpError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.message}") from error
    finally:
        _remove(unfinished)
    return unheld


def _remove(folder: str) -> None:
    if tf.io.gfile.exists(folder):
        tf.io.gfile.rmtree(folder)


def check_output(folder: str) -> None:
    """Raises InputError if something is there that could be lost."""
    if not tf.io.gfile.exists(folder):
        return
    if not tf.io.gfile.isdir(folder) or tf.io.gfile.listdir(folder):
        raise InputError(f"--output must be a new folder, or an empty one. Received: {folder}")


def _num_bytes(weights: Weights) -> int:
    return FLOAT32 * sum(map(math.prod, weights.shapes.values()))


def _shown(weights: Weights, progress: Progress) -> Weights:
    """The same weights, whose reading is seen."""

    def read(name):
        value = weights.read(name)
        progress.advance(FLOAT32 * math.prod(weights.shapes[name]))
        return value

    return Weights(weights.path, weights.shapes, read)
