"""The machine and versions that a result was found with, its clock, and what a program takes."""

import contextlib
import importlib.metadata
import os
import platform
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("tensorflow", "keras", "tensorflow-text", "numpy")
SECONDS_BETWEEN_LOOKS = 0.02


class Run(NamedTuple):
    """What a run of a program took, or a call."""

    seconds: float  # the start of a program included
    processor_seconds: float  # of all its processes: means the same on a busy machine


def describe() -> dict:
    """Returns what a reader needs to judge a time: processor, cores, memory, versions."""
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.machine(),
        "num_cores": len(os.sched_getaffinity(0)),
        "memory": _field("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    } | {package: importlib.metadata.version(package) for package in PACKAGES}


def seconds(function: Callable) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def run(command: list[str]) -> Run:
    """Runs a program in processes of its own; raises RuntimeError with its words if it fails."""
    processor_start = _processor_seconds_of_children()
    start = time.perf_counter()
    with _started(command) as process:
        process.wait()
        taken = time.perf_counter() - start
    return Run(taken, _processor_seconds_of_children() - processor_start)


def peak_memory_gb(command: list[str]) -> float:
    """The most memory that a program held, all its processes together, shared pages once.

    Apart from `run`: looking often takes processor time from the program.
    """
    peak = 0.0
    with _started(command) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(_memory_gb, _family(process.pid))))
            time.sleep(SECONDS_BETWEEN_LOOKS)
    return peak


@contextlib.contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen]:
    """A program that has ended when the block has."""
    with tempfile.TemporaryFile() as errors:  # a pipe that nobody empties would stop the program
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        yield process
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(errors.read().decode(errors="replace"))


def _processor_seconds_of_children() -> float:
    """Of all programs that this one has run to their end."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _family(process_id: int) -> list[int]:
    """The process and all that descend from it."""
    found = [process_id]
    try:
        for task in Path(f"/proc/{process_id}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _family(int(child))
    except OSError:  # it has just ended
        pass
    return found


def _memory_gb(process_id: int) -> float:
    """Its proportional share of memory: a page that k processes share counts 1/k for each."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 2**20


def _field(path: str, name: str) -> str | None:
    """Reads one `name : value` line of a file of Linux; None where there is none."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {key.strip(): value.strip() for key, value in fields.items()}
    return names.get(name)
