"""The workers of a run on several machines, as the variable `TF_CONFIG` describes them.

    TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]},
                "task": {"type": "worker", "index": 0}}'

on the first machine, index 1 on the second. Plain Python: loads no TensorFlow.
"""

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bert_keras.errors import InputError

VARIABLE = "TF_CONFIG"
SECONDS_BETWEEN_TRIES = 0.2
SECONDS_OF_TRY = 1.0
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


def wait_for_others(workers: Cluster) -> None:
    """Returns when every other worker has been reached at its address once.

    Until then this one can be reached at its own, by anybody who waits as well.

    Raises:
        InputError: the own port is taken.
    """
    missing = [address for address in workers.addresses if address != _own(workers)]
    with _listening(_own(workers)) as listener:
        while missing:
            _let_in(listener)
            missing = [address for address in missing if not _is_reached(address)]
            if missing:
                time.sleep(SECONDS_BETWEEN_TRIES)


def _own(workers):
    return workers.addresses[workers.index]


@contextlib.contextmanager
def _listening(address: str) -> Iterator[socket.socket]:
    port = int(address.rpartition(":")[2])
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", port))
        except OSError as error:
            raise InputError(
                f"A worker needs a port of its own; {port} of {address} cannot be used "
                f"({error.strerror}). End the process that has it, or name another port in "
                f"{VARIABLE} of all workers."
            ) from error
        listener.listen()
        listener.setblocking(False)
        yield listener


def _let_in(listener):
    """Takes the connections of others, so that their queue does not fill up."""
    with contextlib.suppress(BlockingIOError):
        while True:
            listener.accept()[0].close()


def _is_reached(address):
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_OF_TRY).close()
    except OSError:
        return False
    return True


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
