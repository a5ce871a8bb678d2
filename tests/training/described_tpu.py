"""A TPU that is only described: how many cores it has and what they are called.

The description is the one thing in these tests that is not real. The strategy, the trace of the
training loop and the compiler passes that take it apart are TensorFlow's own. Nothing can be run
under it, so it proves how a step is made, and not its numbers.
"""

from typing import NamedTuple

import tensorflow as tf


class Device(NamedTuple):
    """What a strategy asks about a device."""

    name: str
    device_type: str


class DescribedTPU(tf.distribute.cluster_resolver.TPUClusterResolver):
    """A TPU of so many cores in this process, as a strategy is told about it."""

    def __init__(self, num_cores: int):
        # That of TensorFlow's class looks for a TPU.
        self._devices = [
            Device(f"/job:localhost/replica:0/task:0/device:TPU:{index}", "TPU")
            for index in range(num_cores)
        ]

    def get_tpu_system_metadata(self) -> tf.tpu.experimental.TPUSystemMetadata:
        return tf.tpu.experimental.TPUSystemMetadata(
            num_cores=len(self._devices),
            num_hosts=1,
            num_of_cores_per_host=len(self._devices),
            topology=None,
            devices=self._devices,
        )


def described_tpu_strategy(num_cores: int) -> tf.distribute.TPUStrategy:
    """A strategy under which functions are traced; variables stand on the CPU."""
    return tf.distribute.TPUStrategy(DescribedTPU(num_cores))
