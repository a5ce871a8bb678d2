"""How weights begin: `create_initializer` of the original."""

import contextlib
import contextvars
from collections.abc import Iterator

import keras


class _Zeros(keras.initializers.TruncatedNormal):
    """Zeros in the place of normal numbers.

    It takes a seed as they do: without that the layers that come later, such as dropout, would get
    other seeds after `keras.utils.set_random_seed`.
    """

    def __call__(self, shape, dtype=None):
        return keras.ops.zeros(shape, dtype)


# A thread of its own begins with the default, also while another one is in a scope.
_initializer = contextvars.ContextVar("initializer", default=keras.initializers.TruncatedNormal)


def truncated_normal(initializer_range: float) -> keras.initializers.Initializer:
    """Normal numbers of this standard deviation, cut at two of them."""
    return _initializer.get()(stddev=initializer_range)


@contextlib.contextmanager
def zeros_to_be_loaded() -> Iterator[None]:
    """While a model is built whose weights are all loaded right after: normal numbers cost seconds.

    `truncated_normal` gives zeros in this scope. Whoever opens it has to know that no weight keeps
    its initial values: neither a head, nor positions that the files lack, nor a layer of the user.
    """
    token = _initializer.set(_Zeros)
    try:
        yield
    finally:
        _initializer.reset(token)
