"""The standard streams of a program, where they are closed, full or lack characters."""

import io
import os
import select
import sys
from typing import TextIO


def prepare() -> None:
    """Lets a program write where a stream is closed (`>&-`) or lacks a character (ASCII)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, open as long as the program
        elif isinstance(getattr(sys, name), io.TextIOWrapper):
            getattr(sys, name).reconfigure(errors="backslashreplace")


def prepare_input() -> TextIO:
    """Standard input as UTF-8 in every locale, whose lines end at "\\n" alone.

    Bad bytes and a byte order mark are dropped. Empty where it is closed (`<&-`).
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115, open as long as the program
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="ignore", newline="\n")
    return sys.stdin


def silence_closed() -> bool:
    """Whether the reader of our output has gone (`| head`); nothing more is written to it then."""
    closed = False
    for stream in (sys.stdout, sys.stderr):
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # 0: report errors only, such as a pipe without reader
        if poll.poll(0):
            silence(stream)
            closed = True
    return closed


def silence(stream: TextIO) -> None:
    """What is written to the stream, or waits in it, goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
