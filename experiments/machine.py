"""The machine and the versions that a result was found with, and its clock."""

import importlib.metadata
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

PACKAGES = ("tensorflow", "keras", "tensorflow-text", "numpy")


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


def _field(path: str, name: str) -> str | None:
    """Reads one `name : value` line of a file of Linux; None where there is none."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {key.strip(): value.strip() for key, value in fields.items()}
    return names.get(name)
