"""A small prediction service of gRPC over an export, on this machine.

It stands in for `tensorflow_model_server`, which is no Python package, in tests and in the
benchmark of load. It is not the official server: it reads the same requests, runs the same graph
and gives the same kinds of errors; it knows neither batching nor versions.
"""

import concurrent.futures
from typing import Any

import grpc
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operations of the tokenizer
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

MOST_BYTES = 64 << 20  # of a request or an answer
STATUS_OF = {
    tf.errors.InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    tf.errors.FailedPreconditionError: grpc.StatusCode.FAILED_PRECONDITION,
}


class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
    """Answers by the signatures of one version of a model, whatever it is called."""

    def __init__(self, version: str):
        self._loaded = tf.saved_model.load(version)
        self._signatures = self._loaded.signatures

    def Predict(self, request: Any, context: grpc.ServicerContext) -> Any:
        name = request.model_spec.signature_name or "serving_default"
        if name not in self._signatures:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"There is no signature {name}.")
        signature = self._signatures[name]
        wanted = signature.structured_input_signature[1]
        if missing := wanted.keys() ^ request.inputs.keys():
            context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"{name} takes {', '.join(wanted)}. "
                f"Missing or unknown: {', '.join(sorted(missing))}.",
            )
        try:
            inputs = {key: tf.make_ndarray(value) for key, value in request.inputs.items()}
            outputs = signature(**{key: tf.constant(value) for key, value in inputs.items()})
        except (tf.errors.OpError, TypeError, ValueError) as error:
            status = STATUS_OF.get(type(error), grpc.StatusCode.INVALID_ARGUMENT)
            context.abort(status, str(error)[:1000])
        response = predict_pb2.PredictResponse()
        for key, value in outputs.items():
            response.outputs[key].CopyFrom(tf.make_tensor_proto(value.numpy()))
        return response


def start(version: str, num_threads: int = 4) -> tuple[grpc.Server, str]:
    """Starts the service; returns it and its address. `server.stop(None)` ends it."""
    options = [
        ("grpc.max_receive_message_length", MOST_BYTES),
        ("grpc.max_send_message_length", MOST_BYTES),
    ]
    pool = concurrent.futures.ThreadPoolExecutor(num_threads)
    server = grpc.server(pool, options=options)
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(version), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, f"127.0.0.1:{port}"
