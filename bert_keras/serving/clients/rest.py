r"""Asks a server by REST. Needs Python alone.

python -m bert_keras.serving.clients.rest --inputs='{"text": ["A text.", "Another."]}'
"""

import dataclasses
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.serving.clients.padding import padded


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    inputs: str = flags.required("JSON object: name -> list of values.")
    address: str = flags.setting("http://localhost:8501", "Address of the server.")
    model: str = flags.setting("bert", "Name of the model.")
    signature: str = flags.setting("serving_default", "What is asked.")
    timeout: float = flags.setting(30.0, "Seconds to wait for the answer.")


def predict(
    inputs: Mapping[str, Sequence[Any]],
    address: str = "http://localhost:8501",
    model: str = "bert",
    signature: str = "serving_default",
    timeout: float = 30.0,
) -> Any:
    """Asks for the answers to B inputs.

    Args:
        inputs: name -> B values; rows of ids and words may differ in length, see `padded`.
        address: that of the server.
        model: its name there.
        signature: what is asked.
        timeout: seconds to wait.

    Returns:
        Name of an output -> B values; of a signature with one output its values alone.

    Raises:
        InputError: the server cannot be reached, or refuses; it says why.
    """
    if not address.startswith(("http://", "https://")):
        raise InputError(f"--address must begin with http:// or https://. Received: {address}")
    url = f"{address}/v1/models/{urllib.parse.quote(model)}:predict"
    content = json.dumps(
        {"signature_name": signature, "inputs": padded(inputs, signature)}
    ).encode()
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return json.load(response)["outputs"]
    except urllib.error.HTTPError as error:
        reason = error.read().decode("utf-8", "replace")
        raise InputError(f"{url} refused the request: {reason:.500}") from error
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException) as error:
        raise InputError(
            f"{url} must be a server; the DEPLOY.md beside an export shows how it is started. "
            f"Received: {error!r:.500}"
        ) from error


def main(settings: Settings) -> None:
    """Prints the answers as JSON."""
    values = dataclasses.asdict(settings)
    inputs = read_inputs(values.pop("inputs"))
    print(json.dumps(predict(inputs, **values), ensure_ascii=False))


def read_inputs(text: str) -> dict[str, list]:
    """The inputs of a flag; raises InputError if they are no JSON object of lists."""
    try:
        inputs = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"--inputs must be a JSON object ({error}). Received: {text:.100}"
        ) from error
    if not isinstance(inputs, dict) or not all(isinstance(one, list) for one in inputs.values()):
        raise InputError(f"--inputs must be an object of lists. Received: {text:.100}")
    return inputs


if __name__ == "__main__":
    flags.run(main, Settings)
