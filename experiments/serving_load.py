r"""Many clients at the same time ask an export by gRPC: nothing fails, and no memory is lost.

Claim    16 clients with 2,000 requests each, of one text or of six, of 0 to 5,000 words in many
         scripts, get an answer to every request; after the first 1,000 the memory of the service
         stays flat. There was no error. Memory was 1,124 MB after 1,000 requests, 1,196 after
         16,000 and 1,214 after 32,000. By requests of one text alone it was 1,082, 1,092 and 1,091,
         and one request of six lengths, sent 7,500 times, adds 0.2 MB: what grows is how much the
         allocator keeps for the largest that were there at one time.
Cost     MiniLM, cut to 64 tokens: 11 minutes on 2 cores, 2 GB of memory.
Command  python -m bert_keras.run_export --model=all-MiniLM-L6-v2 --max_seq_length=64 \
             --output_dir=served
         python -m experiments.serving_load --version=served/1
Found    experiments/results/serving_load.json, and the line that is printed.

The service is `experiments.prediction_service`, in a process of its own; the official server was
not there to be asked.
"""

import concurrent.futures
import dataclasses
import itertools
import json
import multiprocessing
import random
import time
from pathlib import Path
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.progress import Progress
from experiments import machine

RESULTS = Path(__file__).parent / "results" / "serving_load.json"
MOST_WORDS = 5_000
NUMS_OF_TEXTS = (1, 1, 1, 6)  # of a request, each as probable
# Where the letters of words come from: Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai,
# kana, ideographs, Hangul, emoji, and what is no letter.
SCRIPTS = (
    *((0x41, 0x7A), (0xC0, 0x17F), (0x391, 0x3C9), (0x410, 0x44F), (0x5D0, 0x5EA)),
    *((0x620, 0x64A), (0x905, 0x939), (0xE01, 0xE2E), (0x3041, 0x3096), (0x4E00, 0x9FFF)),
    *((0xAC00, 0xD7A3), (0x1F600, 0x1F64F), (0x20, 0x40), (0x300, 0x36F)),
)


@dataclasses.dataclass(frozen=True)
class Settings:
    version: str = flags.required("A version of an export that takes `text`.")
    num_clients: int = flags.setting(16, "Clients at the same time.", minimum=1)
    num_requests: int = flags.setting(2000, "Requests of each.", minimum=1)
    num_settling: int = flags.setting(1000, "Requests before memory is looked at.", minimum=1)
    random_seed: int = flags.setting(12345, "What the texts depend on.", minimum=0)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def text(rng: random.Random) -> str:
    """Up to 5,000 words; of small numbers of words there are as many texts as of large ones."""
    num_words = round((MOST_WORDS + 1) ** rng.random()) - 1
    first, last = rng.choice(SCRIPTS)
    words = [
        "".join(map(chr, rng.choices(range(first, last), k=rng.randint(1, 9)))) for _ in range(50)
    ]
    return " ".join(rng.choices(words, k=num_words))


def texts(rng: random.Random) -> list[str]:
    """Those of one request: mostly one, or several of any lengths."""
    return [text(rng) for _ in range(rng.choice(NUMS_OF_TEXTS))]


def serve(version: str, connection: Any) -> None:
    """Runs the service until it is told to end."""
    import_tensorflow_quietly()
    from experiments import prediction_service

    server, address = prediction_service.start(version)
    connection.send(address)
    connection.recv()
    server.stop(None)


def ask(address: str, num_requests: int, seed: int, advance: Any) -> tuple[list[float], list[str]]:
    """One client; returns the seconds of each request, and the errors."""
    import grpc
    import tensorflow as tf
    from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

    rng, seconds, errors = random.Random(seed), [], []
    with grpc.insecure_channel(address) as channel:
        service = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        for _ in range(num_requests):
            request = predict_pb2.PredictRequest()
            request.inputs["text"].CopyFrom(tf.make_tensor_proto(texts(rng), tf.string))
            begin = time.monotonic()
            try:
                service.Predict(request, timeout=300)
            except grpc.RpcError as error:
                errors.append(f"{error.code().name}: {error.details():.200}")
            seconds.append(time.monotonic() - begin)
            advance()
    return seconds, errors


def load(settings: Settings) -> dict[str, Any]:
    """All clients at once; what they met, and what the service held meanwhile."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(settings.version, theirs), daemon=True)
    process.start()
    theirs.close()  # or nobody would hear that the service has failed
    try:
        return _load(settings, ours.recv(), process.pid)
    finally:
        ours.send("end")
        process.join(30)


def _load(settings: Settings, address: str, process_id: int) -> dict[str, Any]:
    total = settings.num_clients * settings.num_requests
    counter, memory = itertools.count(1), {}
    with Progress("asking", total, " requests") as progress:

        def advance():
            number = next(counter)
            if number in (settings.num_settling, total // 2, total):
                memory[number] = resident_bytes(process_id)
            progress.advance()

        with concurrent.futures.ThreadPoolExecutor(settings.num_clients) as pool:
            clients = [
                pool.submit(
                    ask, address, settings.num_requests, settings.random_seed + index, advance
                )
                for index in range(settings.num_clients)
            ]
            found = [client.result() for client in clients]
    seconds = np.concatenate([of_client for of_client, _ in found])
    errors = [error for _, of_client in found for error in of_client]
    return {
        "num_requests": total,
        "num_errors": len(errors),
        "errors": sorted(set(errors))[:10],
        "p50_ms": 1000 * float(np.percentile(seconds, 50)),
        "p99_ms": 1000 * float(np.percentile(seconds, 99)),
        "resident_mb_after_requests": {n: held / 2**20 for n, held in sorted(memory.items())},
    }


def resident_bytes(process_id: int) -> int:
    """What a process holds in memory."""
    for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    raise InputError(f"There must be a process {process_id}. Received: none")


def main(settings: Settings) -> None:
    import_tensorflow_quietly()
    found = load(settings)
    result = {"machine": machine.describe(), **found}
    Path(settings.output_file).parent.mkdir(parents=True, exist_ok=True)
    Path(settings.output_file).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found))


if __name__ == "__main__":
    flags.run(main, Settings)
