"""Requests as TensorFlow Serving's REST interface has them, to a server of this test."""

import http.server
import json
import threading

import pytest

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.serving.clients import rest


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives the texts back."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.path == "/v1/models/bert:predict"
        answer = {"outputs": {"path": self.path, **request}} if known else {"error": "not found"}
        content = json.dumps(answer).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_inputs_go_by_their_names(address):
    found = rest.predict({"text": ["a", "\u4eac"]}, address, signature="tokens")
    assert found["inputs"] == {"text": ["a", "\u4eac"]}
    assert found["signature_name"] == "tokens"


def test_the_program_prints_the_answer(address, capsys):
    line = ["--inputs", '{"text": ["\u4eac"]}', f"--address={address}"]
    rest.main(flags.parse(rest.Settings, line))
    assert json.loads(capsys.readouterr().out)["inputs"] == {"text": ["\u4eac"]}


def test_a_refusal_says_why(address):
    with pytest.raises(InputError, match='other:predict refused the request: .*"not found"'):
        rest.predict({"text": ["a"]}, address, model="other")
    with pytest.raises(InputError, match="must be a server; .* Received"):
        rest.predict({"text": ["a"]}, "http://127.0.0.1:1", timeout=5)
    with pytest.raises(InputError, match="must begin with http.* Received: localhost:8501"):
        rest.predict({"text": ["a"]}, "localhost:8501")


@pytest.mark.parametrize("text", ["{", "[]", '{"text": "a"}'])
def test_inputs_that_are_none_are_refused(text):
    with pytest.raises(InputError, match="--inputs must be an? .*Received"):
        rest.read_inputs(text)


@pytest.mark.parametrize("content", [b"{}", b"[]", b"{", b""])
def test_what_is_no_answer_of_a_server_is_said(content):
    class Other(Handler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(content) + (content == b"{")))
            self.end_headers()
            self.wfile.write(content)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(InputError, match="a%20name:predict must be a server; .* Received"):
            rest.predict({"text": ["a"]}, f"http://127.0.0.1:{server.server_port}", "a name")
        server.shutdown()
