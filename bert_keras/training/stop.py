"""A clean stop by signal: SIGTERM of a queue or a cloud, Ctrl-C of a person."""

import signal


class StopRequest:
    """Turns SIGTERM and SIGINT into a request that the loop meets between two steps.

    A second signal acts at once, as without this.
    """

    def __init__(self):
        self.received: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        self._previous = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        return self

    def __exit__(self, *_) -> None:
        self._restore()

    @property
    def exit_status(self) -> int:
        """0 after SIGTERM: the run is saved as asked; 130 after SIGINT, as shells expect."""
        return 128 + signal.SIGINT if self.received == signal.SIGINT else 0

    def _handle(self, number, _):
        self.received = signal.Signals(number)
        self._restore()

    def _restore(self):
        for number, handler in self._previous.items():
            signal.signal(number, handler)
