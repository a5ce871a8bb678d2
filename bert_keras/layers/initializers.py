"""How weights begin: `create_initializer` of the original."""

import keras


def truncated_normal(initializer_range: float) -> keras.initializers.Initializer:
    """Normal numbers of this standard deviation, cut at two of them."""
    return keras.initializers.TruncatedNormal(stddev=initializer_range)
