r"""A page on this machine to try a model on texts of yours.

    python -m bert_keras.serving.demo --model=out/my_model

Labels with their probabilities, entities in their text, answers in their context, words for [MASK],
and what each head of each layer attends to. The address may hold the question: ?text=Hello.
"""

import dataclasses
import functools
import http.server
import json
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.serving.json_forms import input_of, plain

HOST = "127.0.0.1"  # nobody else can reach it
LARGEST_REQUEST = 1 << 20  # bytes
MOST_DIGITS = 18  # of the size of a request, be it refused or not
MOST_TOKENS_SHOWN = 64  # of attention: a picture of more cannot be read
PAGE = Path(__file__).with_name("demo_page.html")


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    model: str = flags.required("Folder of a model.")
    task: str | None = flags.setting(
        None, "What is asked for; by default what the folder says, or what its head is for."
    )
    port: int = flags.setting(8000, "The page is at http://127.0.0.1:PORT/; 0: any that is free.")


def main(settings: Settings) -> int:
    """Serves the page until Ctrl-C; returns the exit status."""
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.serving.predictor import Predictor

    predictor = Predictor(settings.model, settings.task)
    with server(predictor, settings.model, settings.port) as running:
        print(f"http://{HOST}:{running.server_port}/ shows {settings.model}. Ctrl-C ends it.")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return 130
    return 0


def server(predictor: Any, name: str, port: int) -> http.server.ThreadingHTTPServer:
    """The server of a `Predictor`, not yet running.

    Args:
        predictor: what answers.
        name: what the page calls it.
        port: where the page is; 0: any that is free.

    Raises:
        InputError: the port is taken, or none.
    """
    model = _Model(predictor, name)
    try:
        return http.server.ThreadingHTTPServer((HOST, port), functools.partial(_Handler, model))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"--port must be a free one, or 0 for any. Received: {port} ({error})"
        ) from error


class _Model:
    """What the page asks of a model; one question at a time."""

    def __init__(self, predictor: Any, name: str):
        self._predictor = predictor
        self._name = name
        self._lock = threading.Lock()

    def description(self, _: Any) -> dict[str, Any]:
        loaded = self._predictor.loaded
        return {
            "name": self._name,
            "task": loaded.task.name,
            "fields": dataclasses.asdict(loaded.task),
            "labels": list(loaded.config.labels),
        }

    def answer(self, question: Any) -> dict[str, Any]:
        with self._lock:
            [answer] = self._predictor.predict([self._input_of(question)])
        return plain(answer)

    def attention(self, question: Any) -> dict[str, Any]:
        """The tokens of a question's first window or choice, and the maps [L, N, T, T] of them.

        Of more tokens than can be shown the first ones; `num_tokens` counts all.
        """
        from bert_keras.models.attention_maps import attention_maps

        loaded = self._predictor.loaded
        encoded = loaded.task.encode([self._input_of(question)], loaded.tokenizer)
        if not len(encoded.examples.lengths):
            return {"num_tokens": 0, "tokens": [], "maps": []}
        inputs = {
            name: arrays[0][np.newaxis, ..., :MOST_TOKENS_SHOWN]
            for name, arrays in encoded.examples.tokens.items()
        }
        with self._lock:
            maps, *_ = attention_maps(loaded.model, inputs)
        ids = inputs["input_ids"].reshape(-1, maps.shape[-1])[0]
        tokens = loaded.tokenizer.convert_ids_to_tokens(ids)
        return {
            "num_tokens": int(encoded.examples.lengths[0]),
            "tokens": tokens,
            "maps": np.round(maps, 3).tolist(),
        }

    def _input_of(self, question: Any) -> Any:
        return input_of(question, self._predictor.loaded.task.name, "The question")


class _Handler(http.server.BaseHTTPRequestHandler):
    """The page, and what it asks by POST."""

    def __init__(self, model: _Model, *arguments: Any):
        self._asked = {
            "/description": model.description,
            "/answer": model.answer,
            "/attention": model.attention,
        }
        super().__init__(*arguments)

    def do_GET(self):
        if self._is_local() and self.path.partition("?")[0] == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", PAGE.read_bytes())
        else:
            self._send_json(HTTPStatus.NOT_FOUND, {"error": "There is one page, /."})

    def do_POST(self):
        try:
            question = self._question()
            if not self._is_local() or self.path not in self._asked:
                self._send_json(HTTPStatus.NOT_FOUND, {"error": f"Ask {', '.join(self._asked)}."})
            else:
                self._send_json(HTTPStatus.OK, self._asked[self.path](question))
        except InputError as error:
            self._send_json(HTTPStatus.BAD_REQUEST, {"error": str(error)})

    def log_message(self, *_):
        """Nothing: the page shows what happens."""

    def _is_local(self) -> bool:
        """Whether the request names this machine: pages of others may not ask by another name."""
        return self.headers.get("Host", "").partition(":")[0] in (HOST, "localhost")

    def _question(self) -> Any:
        """What was sent, read to its end even if refused: a client still sending sees no answer."""
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or len(size) > MOST_DIGITS:
            raise InputError(f"A question has a size in bytes. Received: {size:.100}")
        content = self.rfile.read(min(int(size), LARGEST_REQUEST))
        if int(size) > LARGEST_REQUEST:
            for left in range(int(size) - LARGEST_REQUEST, 0, -LARGEST_REQUEST):
                self.rfile.read(min(left, LARGEST_REQUEST))
            raise InputError(f"A question has at most {LARGEST_REQUEST} bytes. Received: {size}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"A question is a JSON object ({error}). Received: {content[:100]!r}"
            ) from error

    def _send_json(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(content).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    flags.run(main, Settings)
