"""The weights of a file, whatever its format: names and shapes at once, values when asked for."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from bert_keras.errors import InputError


@dataclasses.dataclass(frozen=True)
class Weights:
    """Named tensors of one checkpoint.

    `path` is what the user named, for messages. `shapes` is a dict of name -> shape. `read` takes a
    name and returns its values, float32 (the step: int64), as whatever numpy takes for an array; it
    raises InputError where the file is damaged. Nothing is read before it is called.
    """

    path: str
    shapes: Mapping[str, tuple[int, ...]]
    read: Callable[[str], np.ndarray]

    def renamed(self, names: Mapping[str, str]) -> "Weights":
        """The weights under other names, and only those that `names`, new name -> old, holds."""
        shapes = {new: self.shapes[old] for new, old in names.items()}
        return Weights(self.path, shapes, lambda name: self.read(names[name]))

    def without(self, names: Iterable[str]) -> "Weights":
        """The weights but for some of them."""
        left_out = set(names)
        return self.renamed({name: name for name in self.shapes if name not in left_out})

    def with_values(self, values: Mapping[str, np.ndarray]) -> "Weights":
        """The weights and more of them, that need not be read."""
        shapes = {**self.shapes, **{name: tuple(value.shape) for name, value in values.items()}}
        return Weights(
            self.path,
            shapes,
            lambda name: values[name] if name in values else self.read(name),
        )


def check_floating(name: str, value: np.ndarray, path: str) -> None:
    """Raises InputError, which names the weight and the file, unless its values are float32."""
    if value.dtype != "float32":
        raise InputError(
            f"Weights must be floating-point numbers of 32 bits. Received: {name} of type "
            f"{getattr(value.dtype, 'name', value.dtype)} in {path}. Convert it to float32 first."
        )
