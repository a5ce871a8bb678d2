"""Who answers the clients: the official server where it is on the PATH, else the small service."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator

import grpc

from experiments import prediction_service
from tests.run_pretraining.processes import free_addresses

BINARY = "tensorflow_model_server"


@contextlib.contextmanager
def serving(versions: str) -> Iterator[str]:
    """The address of a server of the folder that holds version 1 of a model."""
    binary = shutil.which(BINARY)
    if not binary:
        server, address = prediction_service.start(f"{versions}/1")
        yield address
        server.stop(None)
        return
    [address] = free_addresses(1)
    port = address.rpartition(":")[2]
    command = [binary, f"--port={port}", "--model_name=bert", f"--model_base_path={versions}"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(timeout=120)
            yield address
        finally:
            process.terminate()
