"""A clean stop: SIGTERM of a queue or a cloud, Ctrl-C of a person, a limit of steps or hours."""

import contextlib
import signal
import threading
from collections.abc import Iterator

import tensorflow as tf


@contextlib.contextmanager
def signals_act_at_once() -> Iterator[None]:
    """Lets SIGTERM and SIGINT end the process while it waits where no handler can run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGTERM, signal.SIGINT)
    previous = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class StopRequest:
    """Turns SIGTERM and SIGINT into a request that the loop meets between two steps.

    A second signal acts at once, as without this.

    Attributes:
        received: the signal that came, or None.
        reason: what the stop was requested by, in words; None while it was not.
        flag: 1.0 after a request, else 0.0: what a step adds over all workers.
    """

    def __init__(self):
        self.received: signal.Signals | None = None
        self.reason: str | None = None

    def __enter__(self) -> "StopRequest":
        self._previous = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        return self

    def __exit__(self, *_) -> None:
        self._restore()

    def request(self, reason: str) -> None:
        """Requests a stop, unless there was a request before."""
        self.reason = self.reason or reason

    def note(self, num_stops: tf.Tensor) -> None:
        """Takes how many replicas a step found with a request; one process needs no counting."""

    @property
    def flag(self) -> float:
        return float(self.reason is not None)

    @property
    def exit_status(self) -> int:
        """0 after SIGTERM: the run is saved as asked; 130 after SIGINT, as shells expect."""
        return 128 + signal.SIGINT if self.received == signal.SIGINT else 0

    def _handle(self, number, _):
        self.received = signal.Signals(number)
        self.request(self.received.name)
        self._restore()

    def _restore(self):
        for number, handler in self._previous.items():
            signal.signal(number, handler)


class SharedStop:
    """A stop that all workers make after the same step, whichever of them was asked.

    Every step adds the flags of all workers, and the sum of the step before the last decides: all
    workers know it, and none waits for it.

    Attributes:
        reason: what the stop was requested by; None until all workers know of it.
        flag: 1.0 if this worker was asked to stop, else 0.0.
    """

    def __init__(self, own: StopRequest):
        self._own = own
        self._decisive = self._last = None

    def request(self, reason: str) -> None:
        self._own.request(reason)

    def note(self, num_stops: tf.Tensor) -> None:
        """Takes how many replicas the step that was just taken found with a request."""
        if self.reason is None:
            self._decisive, self._last = self._last, num_stops

    @property
    def flag(self) -> float:
        return self._own.flag

    @property
    def reason(self) -> str | None:
        if self._decisive is None or not float(self._decisive):
            return None
        return self._own.reason or "another worker"
