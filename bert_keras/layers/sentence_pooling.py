"""From the vectors of tokens to the vector of a sentence (Sentence-BERT, arXiv:1908.10084, 3)."""

from collections.abc import Sequence

import keras
import tensorflow as tf

from bert_keras.errors import InputError


def _first(hidden, is_token):
    first = tf.argmax(tf.cast(is_token, tf.int32), axis=1)  # [B, 1]
    return tf.gather(hidden, first[:, 0], batch_dims=1)


def _sum(hidden, is_token):
    return tf.reduce_sum(tf.where(is_token, hidden, 0.0), axis=1)


def _num_tokens(is_token):
    return tf.maximum(tf.reduce_sum(tf.cast(is_token, tf.float32), axis=1), 1.0)


def _mean(hidden, is_token):
    return _sum(hidden, is_token) / _num_tokens(is_token)


def _max(hidden, is_token):
    return tf.reduce_max(tf.where(is_token, hidden, hidden.dtype.min), axis=1)


def _mean_sqrt_len(hidden, is_token):
    return _sum(hidden, is_token) / tf.sqrt(_num_tokens(is_token))


# hidden float32 [B, T, H], is_token bool [B, T, 1] -> [B, H]
_POOLINGS = {"cls": _first, "mean": _mean, "max": _max, "mean_sqrt_len": _mean_sqrt_len}
_LEAST_SQUARED_LENGTH = 1e-24  # a shorter vector is scaled no further; zeros stay zeros


@keras.saving.register_keras_serializable("bert_keras")
class SentencePooling(keras.layers.Layer):
    """hidden [B, T, H], input_mask [B, T] -> [B, H * number of modes], float32.

    Padding does not count. A row without any token gives zeros.

    Args:
        modes: what is concatenated, in this order, each of "cls" (the first token), "mean", "max",
            "mean_sqrt_len" (the sum over the root of the number of tokens).
        normalize: scale the result to length 1.

    Raises:
        InputError: another mode, or none.
    """

    def __init__(self, modes: Sequence[str] = ("mean",), normalize: bool = False, **kwargs):
        super().__init__(**kwargs)
        self.modes = tuple(modes)
        self.normalize = normalize
        if not self.modes or not set(self.modes) <= set(_POOLINGS):
            raise InputError(
                f"Modes of pooling must be some of {', '.join(_POOLINGS)}. Received: {modes!r}"
            )

    def call(self, hidden, input_mask):
        hidden = tf.cast(hidden, tf.float32)
        # No tf.newaxis: LiteRT has no slice of truth values whose length is free.
        is_token = tf.expand_dims(tf.cast(input_mask, tf.bool), axis=-1)  # [B, T, 1]
        pooled = tf.concat([_POOLINGS[mode](hidden, is_token) for mode in self.modes], axis=-1)
        pooled = tf.where(tf.reduce_any(is_token, axis=1), pooled, 0.0)
        if self.normalize:
            pooled = tf.math.l2_normalize(pooled, axis=-1, epsilon=_LEAST_SQUARED_LENGTH)
        return pooled

    def compute_output_spec(self, hidden, input_mask):
        return keras.KerasTensor((hidden.shape[0], hidden.shape[-1] * len(self.modes)), "float32")

    def get_config(self):
        return super().get_config() | {"modes": self.modes, "normalize": self.normalize}
