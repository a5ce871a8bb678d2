"""The workers of a run on several machines, as the variable `TF_CONFIG` describes them.

    TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]},
                "task": {"type": "worker", "index": 0}}'

on the first machine, index 1 on the second. Plain Python: loads no TensorFlow.
"""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from bert_keras.errors import InputError

VARIABLE = "TF_CONFIG"
_ADDRESS = re.compile(r".+:(\d+)")
EXAMPLE = (
    'It must look like {"cluster": {"worker": ["host1:12345", "host2:12345"]}, "task": {"type": '
    '"worker", "index": 0}}, the same on every machine but for the index.'
)


class Cluster(NamedTuple):
    """All workers of a run, and which of them this process is.

    Attributes:
        addresses: `host:port` of every worker; a chief comes first.
        index: the place of this process in them.
    """

    addresses: list[str]
    index: int


def cluster_of(environment: Mapping[str, str]) -> Cluster | None:
    """Returns the cluster that `TF_CONFIG` describes; None if it is not set, or has no cluster.

    Raises:
        InputError: it is no JSON, or describes no cluster of workers with this process in it.
    """
    text = environment.get(VARIABLE, "").strip()
    if not text:
        return None
    try:
        values = json.loads(text)
    except ValueError as error:
        raise _malformed(f"{text} ({error})") from error
    if not isinstance(values, dict):
        raise _malformed(text)
    if not values.get("cluster"):
        return None
    return _cluster(values["cluster"], values.get("task"), text)


def _cluster(tasks, task, text):
    if not isinstance(tasks, dict) or not isinstance(task, dict):
        raise _malformed(text)
    unknown = sorted(set(tasks) - {"chief", "worker"})
    if unknown:
        raise InputError(
            f"{VARIABLE} may name workers, and one of them as chief; training has no use for "
            f"{', '.join(unknown)}. Received: {text}"
        )
    chiefs, workers = tasks.get("chief", []), tasks.get("worker", [])
    if not isinstance(chiefs, list) or not isinstance(workers, list) or len(chiefs) > 1:
        raise _malformed(text)
    addresses = [*chiefs, *workers]
    _check_addresses(addresses, text)
    kind, index = task.get("type"), task.get("index")
    of_kind = tasks.get(kind, []) if isinstance(kind, str) else []
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(of_kind):
        raise InputError(
            f"The task of {VARIABLE} must be one of its cluster's: type chief or worker, index "
            f"from 0 to one less than there are. Received: type {kind!r}, index {index!r}, in a "
            f"cluster of {len(chiefs)} chiefs and {len(workers)} workers. {EXAMPLE}"
        )
    return Cluster(addresses, index + len(chiefs) * (kind == "worker"))


def _check_addresses(addresses, text):
    for address in addresses:
        match = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
        if not match or not 0 < int(match[1]) < 2**16:
            raise InputError(
                f"Every worker of {VARIABLE} needs an address host:port. Received: {address!r}, in "
                f"{text}. {EXAMPLE}"
            )
    twice = sorted({address for address in addresses if addresses.count(address) > 1})
    if twice:
        raise InputError(
            f"Every worker of {VARIABLE} needs an address of its own. Received twice: "
            f"{', '.join(twice)}, in {text}"
        )


def _malformed(received):
    return InputError(
        f"{VARIABLE} must describe the workers as JSON. {EXAMPLE} Received: {received}"
    )
