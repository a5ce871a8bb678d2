"""Dropout (Srivastava et al. 2014) whose masks are a function of a seed that is saved.

Differs from `keras.layers.Dropout`: every replica of a distribution strategy draws its own mask,
16 random bits decide about an element, and the bits can be applied inside a compiled chain.
"""

import contextlib
import contextvars
import types
from collections.abc import Iterator, Mapping

import keras
import tensorflow as tf

NUM_LEVELS = 2**16
# Between the seeds of two replicas: far more than the steps that a seed counts in a run.
REPLICA_STRIDE = 0x3C6EF372


@keras.saving.register_keras_serializable("bert_keras")
class Dropout(keras.layers.Layer):
    """Sets a share `rate` of the elements to 0 in training and scales the others up.

    The state of the seed is a variable (in `model.variables`), so that a resumed run draws the
    same masks.
    """

    def __init__(self, rate: float, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(name="seed_generator")
        self.built = True

    def call(self, inputs, training=False):
        if not training or self.rate == 0:
            return inputs
        return drop(inputs, self.random_bits(tf.shape(inputs)), rate=self.rate)

    def random_bits(self, shape) -> tf.Tensor:
        """New random uint16 numbers of this shape."""
        size = tf.reduce_prod(shape)
        words = tf.random.stateless_uniform(
            [(size + 1) // 2], self._seed(), None, None, tf.uint32, alg="philox"
        )
        return tf.reshape(tf.reshape(tf.bitcast(words, tf.uint16), [-1])[:size], shape)

    def _seed(self) -> tf.Tensor:
        given = _GIVEN_SEEDS.get()
        return given[self] if self in given else self.next_seed()

    def next_seed(self) -> tf.Tensor:
        """The seed of this replica's next mask, int32 [2]; the one after it will be another."""
        seed = tf.cast(self.seed_generator.next(), tf.int32)
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return seed + REPLICA_STRIDE * tf.stack([tf.cast(replica, tf.int32), 0])

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return super().get_config() | {"rate": self.rate}


# Of the current thread: strategies trace each replica in a thread of its own.
_GIVEN_SEEDS: contextvars.ContextVar[Mapping[Dropout, tf.Tensor]] = contextvars.ContextVar(
    "given_seeds", default=types.MappingProxyType({})
)


@contextlib.contextmanager
def given_seeds(seeds: Mapping[Dropout, tf.Tensor]) -> Iterator[None]:
    """Within it, these dropouts draw their masks from these seeds, and their own do not move on."""
    token = _GIVEN_SEEDS.set(seeds)
    try:
        yield
    finally:
        _GIVEN_SEEDS.reset(token)


def drop(inputs, random_bits, rate: float):
    """`inputs` where the bits are at least `rate` of their range, scaled up; 0 elsewhere.

    The share that is dropped is a multiple of 2**-16; the scale is its exact counterpart.
    """
    num_dropped = min(round(rate * NUM_LEVELS), NUM_LEVELS - 1)
    keep = tf.cast(random_bits, tf.int32) >= num_dropped
    return tf.where(keep, inputs * (NUM_LEVELS / (NUM_LEVELS - num_dropped)), 0)
