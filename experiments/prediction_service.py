r"""A small prediction service of gRPC over an export, on this machine.

    python -m experiments.prediction_service --version=served/my_topics/1

It stands in for `tensorflow_model_server`, which is no Python package, in tests and in the
benchmark of load. It is not the official server: it reads the same requests, runs the same graph
and gives the same kinds of errors; it knows neither batching nor versions.
"""

import concurrent.futures
import dataclasses
from pathlib import Path
from typing import Any

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError

import_tensorflow_quietly()
import grpc  # noqa: E402
import tensorflow as tf  # noqa: E402
import tensorflow_text  # noqa: E402, F401  registers the operations of the tokenizer
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc  # noqa: E402

MOST_BYTES = 64 << 20  # of a request or an answer
STATUS_OF = {
    tf.errors.InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    tf.errors.FailedPreconditionError: grpc.StatusCode.FAILED_PRECONDITION,
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    version: str = flags.required("The folder of one version of an export.")
    port: int = flags.setting(8500, "Where it is asked, at 127.0.0.1; 0: any that is free.")


class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
    """Answers by the signatures of one version of a model, whatever it is called."""

    def __init__(self, version: str):
        self._loaded = tf.saved_model.load(version)
        self._signatures = self._loaded.signatures
        self._defaults = _defaults(version)

    def Predict(self, request: Any, context: grpc.ServicerContext) -> Any:
        name = request.model_spec.signature_name or "serving_default"
        if name not in self._signatures:
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"There is no signature {name}, but {', '.join(self._signatures)}.",
            )
        signature = self._signatures[name]
        wanted = signature.structured_input_signature[1]
        given = self._defaults[name] | dict(request.inputs)
        if missing := wanted.keys() ^ given.keys():
            context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"{name} takes {', '.join(wanted)}. "
                f"Missing or unknown: {', '.join(sorted(missing))}.",
            )
        try:
            inputs = {key: tf.make_ndarray(value) for key, value in given.items()}
            outputs = signature(**{key: tf.constant(value) for key, value in inputs.items()})
        except (tf.errors.OpError, TypeError, ValueError) as error:
            status = STATUS_OF.get(type(error), grpc.StatusCode.INVALID_ARGUMENT)
            context.abort(status, str(error)[:1000])
        response = predict_pb2.PredictResponse()
        for key, value in outputs.items():
            response.outputs[key].CopyFrom(tf.make_tensor_proto(value.numpy()))
        return response


def _defaults(version: str) -> dict[str, dict[str, Any]]:
    """Signature -> the inputs that may be left out -> what a server takes in their place."""
    content = Path(version, "saved_model.pb").read_bytes()
    [graph] = saved_model_pb2.SavedModel.FromString(content).meta_graphs
    return {name: dict(signature.defaults) for name, signature in graph.signature_def.items()}


def start(version: str, num_threads: int = 4, port: int = 0) -> tuple[grpc.Server, str]:
    """Starts the service; returns it and its address. `server.stop(None)` ends it.

    Args:
        version: the folder of one version of an export.
        num_threads: the most requests at the same time.
        port: of 127.0.0.1; 0: any that is free.

    Raises:
        InputError: there is no export, or the port is taken.
    """
    if not Path(version, "saved_model.pb").is_file():
        raise InputError(
            "--version must be the folder of one version of an export, such as served/my_topics/1. "
            f"Received: {version}"
        )
    options = [
        ("grpc.max_receive_message_length", MOST_BYTES),
        ("grpc.max_send_message_length", MOST_BYTES),
    ]
    pool = concurrent.futures.ThreadPoolExecutor(num_threads)
    server = grpc.server(pool, options=options)
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(version), server)
    try:
        port = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        raise InputError(
            f"--port must be a free one, or 0 for any. Received: {port} ({error})"
        ) from error
    server.start()
    return server, f"127.0.0.1:{port}"


def main(settings: Settings) -> None:
    """Serves until it is ended."""
    server, address = start(settings.version, port=settings.port)
    print(f"{address} answers with {settings.version}. Ctrl-C ends it.", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    flags.run(main, Settings)
