r"""Asks a server by gRPC. Needs tensorflow-serving-api (extra `serving`).

python -m bert_keras.serving.clients.grpc_client --inputs='{"text": ["A text.", "Another."]}'
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.serving.clients import rest
from bert_keras.serving.clients.padding import padded

NUMBERS = ("input_ids", "input_mask", "segment_ids", "masked_lm_positions")
# gRPC takes answers of 4 MiB unless told otherwise: the vectors of twenty long texts are more.
OPTIONS = (("grpc.max_receive_message_length", -1),)


@dataclasses.dataclass(frozen=True)
class Settings(rest.Settings):
    """The flags of the program."""

    address: str = flags.setting("localhost:8500", "Address of the server.")


def predict(
    inputs: Mapping[str, Sequence[Any]],
    address: str = "localhost:8500",
    model: str = "bert",
    signature: str = "serving_default",
    timeout: float = 30.0,
) -> dict[str, Any]:
    """Asks for the answers to B inputs.

    Args:
        inputs: name -> B values; numbers are sent as int32. Rows of ids and words may differ in
            length, see `padded`.
        address: that of the server.
        model: its name there.
        signature: what is asked.
        timeout: seconds to wait.

    Returns:
        Name of an output -> array [B, ...], by the alphabet; strings are bytes of UTF-8.

    Raises:
        InputError: the server cannot be reached, or refuses; it says why. The package is not there.
    """
    if "://" in address:
        raise InputError(f"--address of gRPC must be HOST:PORT. Received: {address}")
    import_tensorflow_quietly()
    import tensorflow as tf

    try:
        import grpc
        from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc
    except ImportError as error:
        raise InputError(
            "gRPC needs tensorflow-serving-api: pip install 'bert_keras[serving]'. "
            f"Received: {error}"
        ) from error
    request = predict_pb2.PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    for name, values in padded(inputs, signature).items():
        request.inputs[name].CopyFrom(_tensor(name, values))
    with grpc.insecure_channel(address, OPTIONS) as channel:
        service = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        try:
            response = service.Predict(request, timeout)
        except grpc.RpcError as error:
            raise InputError(_reason(address, error)) from error
    return {name: tf.make_ndarray(tensor) for name, tensor in sorted(response.outputs.items())}


def _reason(address: str, error: Any) -> str:
    """Why there is no answer, by an error of gRPC."""
    received = f"{error.code().name}: {error.details():.500}"
    if error.code().name in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
        return (
            f"{address} must be a server that answers in time; the DEPLOY.md beside an export "
            f"shows how it is started. Received: {received}"
        )
    return f"{address} refused the request: {received}"


def _tensor(name: str, values: Sequence[Any]) -> Any:
    """The values of an input as a `TensorProto` of strings or int32."""
    import numpy as np
    import tensorflow as tf

    try:
        is_number = np.asarray(values).dtype.kind in "iub" and len(values)
        dtype = tf.int32 if is_number or name in NUMBERS else tf.string
        return tf.make_tensor_proto(values, dtype)
    except (TypeError, ValueError) as error:  # of a character that is none, too
        raise InputError(
            f"{name} must hold texts, or whole numbers, in rows of one length. "
            f"Received: {values!r:.200}"
        ) from error


def main(settings: Settings) -> None:
    """Prints the answers as JSON."""
    values = dataclasses.asdict(settings)
    found = predict(rest.read_inputs(values.pop("inputs")), **values)
    texts = {name: _as_text(array.tolist()) for name, array in found.items()}
    print(json.dumps(texts, ensure_ascii=False))


def _as_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_text(one) for one in value]
    return value.decode("utf-8") if isinstance(value, bytes) else value


if __name__ == "__main__":
    flags.run(main, Settings)
