"""How far a long step is: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")

SECONDS_BETWEEN_LINES = 10.0


def unseen(count: int) -> None:
    """Takes the place of `Progress.advance` where nobody wants to see it."""


class Progress:
    """Counts up to a total with rate and time left, on stderr; the total may be unknown.

    with Progress("reading", total=num_bytes, unit="B") as progress:
        progress.advance(1024)
    """

    def __init__(self, description: str, total: int | None, unit: str):
        self._description = description
        self._total = total
        self._unit = unit

    def __enter__(self):
        self._done = 0
        self._begin = self._last_line = time.monotonic()
        self._bar = None
        if sys.stderr.isatty():
            self._bar = tqdm(
                desc=self._description, total=self._total, unit=self._unit, unit_scale=True
            )
        return self

    def __exit__(self, error_type, error, traceback):
        if self._bar is not None:
            self._bar.close()
        elif error_type is None:
            seconds = time.monotonic() - self._begin
            self._print(f"{_short(self._done)}{self._unit} in {seconds:.1f} s")

    def advance(self, count: int = 1) -> None:
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
            return
        now = time.monotonic()
        if now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            rate = self._done / (now - self._begin)
            if self._total:
                seconds_left = max(0, self._total - self._done) / rate
                share, left = f"{self._done / self._total:.0%}", tqdm.format_interval(seconds_left)
                self._print(f"{share}, {_short(rate)}{self._unit}/s, {left} left")
            else:
                self._print(f"{_short(self._done)}{self._unit}, {_short(rate)}{self._unit}/s")

    def _print(self, text: str) -> None:
        print(f"{self._description}: {text}", file=sys.stderr, flush=True)


def tracked(items: Sequence[T], description: str, unit: str) -> Iterator[T]:
    """Yields the items, and shows how many were taken."""
    with Progress(description, len(items), unit) as progress:
        for item in items:
            yield item
            progress.advance()


def _short(number: float) -> str:
    return f"{number:.0f}" if number < 1000 else tqdm.format_sizeof(number)
