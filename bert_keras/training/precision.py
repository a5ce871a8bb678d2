"""The type in which a model multiplies: float32, or bfloat16 between float32 weights."""

import contextlib
from collections.abc import Iterator

import keras

# --precision -> what Keras calls it
POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


@contextlib.contextmanager
def precision(name: str) -> Iterator[None]:
    """Builds what is built within in this precision, one of `POLICIES`."""
    previous = keras.config.dtype_policy()
    keras.config.set_dtype_policy(POLICIES[name])
    try:
        yield
    finally:
        keras.config.set_dtype_policy(previous)
