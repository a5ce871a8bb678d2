"""What the workers of a run have to agree on, over the connections that add their gradients."""

import contextlib
import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.training.devices import DeviceSettings
from bert_keras.training.step import add_over_replicas
from bert_keras.training.strategy import describe, strategy_for, worker_of

# What TensorFlow raises when the connection to another worker breaks, or nobody answers there.
_LOST = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
)


def run_together(settings: DeviceSettings, work: Callable[[tf.distribute.Strategy], Any]) -> Any:
    """Returns what `work` makes on the devices of the settings, of all workers alike.

    Args:
        settings: a settings dataclass of a program, with `train_batch_size`.
        work: function of the strategy.

    Raises:
        InputError: the devices are not there, the workers have other flags, or one is lost.
    """
    # Before anything else touches the devices: their memory is set up here.
    strategy = strategy_for(settings)
    notify(describe(strategy, settings.train_batch_size))
    with named_lost_workers(strategy):
        check_same(strategy, "the flags", dataclasses.asdict(settings))
        results = work(strategy)
        part(strategy)
    return results


def meet(strategy: tf.distribute.Strategy) -> None:
    """Waits until all workers are here."""
    _values_of_workers(strategy, np.zeros(1, np.int32))


def part(strategy: tf.distribute.Strategy) -> None:
    """Waits until all workers are here and know it; who ends sooner breaks what others wait for.

    Raises:
        InputError: one is lost before it has come here.
    """
    meet(strategy)
    # All have done their work. Whoever hears of this meeting first may end, others miss nothing.
    with contextlib.suppress(InputError):
        meet(strategy)


def check_same(strategy: tf.distribute.Strategy, what: str, value: Any) -> None:
    """Checks that all workers have the same value, which JSON can hold.

    Raises:
        InputError: one has another.
    """
    text = json.dumps(value, sort_keys=True)
    digest = np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint8).astype(np.int32)
    values = _values_of_workers(strategy, digest)
    others = [index for index, other in enumerate(values) if np.any(other != values[0])]
    if others:
        raise InputError(
            f"All workers must have {what} alike: the same flags, and an --output_dir that all of "
            f"them see. Received: {text} here; worker 0 and worker {others[0]} differ."
        )


def of_chief(strategy: tf.distribute.Strategy, value: float) -> float:
    """Returns what the chief has in place of this worker's own value."""
    bits = np.array([value], np.float64).view(np.int32)
    return float(_values_of_workers(strategy, bits)[0].view(np.float64)[0])


@contextlib.contextmanager
def named_lost_workers(strategy: tf.distribute.Strategy) -> Iterator[None]:
    """Raises InputError, which says what to do, when another worker is gone."""
    try:
        yield
    except _LOST as error:
        worker = worker_of(strategy)
        if worker.num_workers == 1:
            raise
        raise InputError(
            f"Worker {worker.index} of {worker.num_workers} lost another one, which has ended or "
            "cannot be reached. The last checkpoint is good: start all workers again with the same "
            f"command, and they go on from there. ({_reason(error)})"
        ) from error


def _values_of_workers(strategy, values):
    """[N] int32 of each worker -> [workers, N], a multiple of them, the same for all workers."""
    worker = worker_of(strategy)
    if worker.num_workers == 1:
        return values[np.newaxis]
    own = np.zeros([worker.num_workers, len(values)], np.int32)
    own[worker.index] = values
    with named_lost_workers(strategy):
        return strategy.experimental_local_results(_adder(strategy)(tf.constant(own)))[0].numpy()


@functools.cache
def _adder(strategy):
    """A function that adds its argument over all replicas, traced once for each shape."""

    @tf.function
    def added(own):
        # An argument has no device, without which it is not added.
        return strategy.run(lambda own: add_over_replicas(tf.identity(own)), (own,))

    return added


def _reason(error):
    lines = [line.strip() for line in error.message.splitlines()]
    return next((line for line in lines if "aborted" in line or "peer" in line), lines[0])
