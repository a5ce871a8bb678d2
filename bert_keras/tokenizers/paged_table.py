"""A number for each code point of Unicode, looked up inside a TensorFlow graph."""

import numpy as np
import tensorflow as tf

NUM_CODE_POINTS = 0x110000
_PAGE = 256


class PagedTable:
    """Code points -> numbers, in two gathers.

    Most pages of 256 code points are alike, so that a table takes kilobytes where a flat one takes
    megabytes, in every SavedModel.

    Args:
        numbers: of every code point, integers of 32 bits [0x110000].
    """

    def __init__(self, numbers: np.ndarray):
        place: dict[bytes, int] = {}
        pages = (page.tobytes() for page in numbers.astype(np.int32).reshape(-1, _PAGE))
        first = [place.setdefault(page, len(place) * _PAGE) for page in pages]
        self._numbers = tf.constant(np.frombuffer(b"".join(place), np.int32))
        self._first = tf.constant(first, tf.int32)

    def lookup(self, codes: tf.Tensor) -> tf.Tensor:
        """Numbers of int32 code points, shape kept."""
        return tf.gather(self._numbers, tf.gather(self._first, codes // _PAGE) + codes % _PAGE)
