"""A model as files, in any format."""

import dataclasses
import math

from bert_keras.checkpoints.formats import hugging_face, native, tf1
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.progress import Progress

# --format -> what writes it
WRITERS = {
    "tf1": tf1.write,
    "hugging_face": hugging_face.write,
    "bert_keras": native.write,
}
FLOAT32 = 4  # bytes


def write(
    stored: StoredModel, folder: str, format_name: str, max_shard_size: int | None = None
) -> list[str]:
    """Writes a model into a folder, and shows how far it is.

    Args:
        stored: what to write.
        folder: an existing one, which is empty.
        format_name: one of `WRITERS`.
        max_shard_size: the most bytes of one file of weights; None: a single one.

    Returns:
        The names of the weights that the format cannot hold.

    Raises:
        InputError: a weight is damaged, or a file cannot be written.
    """
    with Progress("converting", _num_bytes(stored.weights), "B") as progress:
        shown = dataclasses.replace(stored, weights=_with_progress(stored.weights, progress))
        return WRITERS[format_name](shown, folder, max_shard_size)


def _num_bytes(weights: Weights) -> int:
    return FLOAT32 * sum(map(math.prod, weights.shapes.values()))


def _with_progress(weights: Weights, progress: Progress) -> Weights:
    """The same weights, whose reading is seen."""

    def read(name):
        value = weights.read(name)
        progress.advance(FLOAT32 * math.prod(weights.shapes[name]))
        return value

    return Weights(weights.path, weights.shapes, read)
