"""The page of a model: by its requests, and in a real browser where there is one."""

import html
import http.client
import json
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

import pytest

from bert_keras.errors import InputError
from bert_keras.serving import Predictor, demo
from tests.checkpoints import stored_models

BROWSER = next(filter(shutil.which, ("chromium", "google-chrome", "chromium-browser")), None)
QUESTIONS = {
    "classifier": {"text": "a b"},
    "token_classifier": {"text": "a b"},
    "question_answering": {"question": "a", "context": "b c"},
    "multiple_choice": {"context": "a", "choices": ["b", "c d"]},
    "pretrainer": {"text": "a [MASK]"},
    "bert": {"text": "a b"},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Name of a model -> the address of its page."""
    root, running = tmp_path_factory.mktemp("models"), {}

    def start(model):
        if model not in running:
            stored = stored_models.stored(model, max_position_embeddings=100)
            stored_models.write(stored, root / model, "bert_keras")
            server = demo.server(Predictor(root / model), model, port=0)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            running[model] = server
        return f"http://127.0.0.1:{running[model].server_port}"

    yield start
    for server in running.values():
        server.shutdown()
        server.server_close()


def ask(address, path, content, host=None):
    request = urllib.request.Request(f"{address}/{path}", json.dumps(content).encode())
    if host:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("model", QUESTIONS)
def test_every_task_is_described_answered_and_looked_into(address, model):
    status, description = ask(address(model), "description", {})
    assert status == 200 and description["task"] and description["name"] == model
    status, answer = ask(address(model), "answer", QUESTIONS[model])
    assert status == 200 and answer
    status, attention = ask(address(model), "attention", QUESTIONS[model])
    tokens, maps = attention["tokens"], attention["maps"]
    assert status == 200 and tokens[:2] == ["[CLS]", "a"]
    config = stored_models.CONFIG
    assert (len(maps), len(maps[0])) == (config.num_hidden_layers, config.num_attention_heads)
    assert len(maps[0][0]) == len(maps[0][0][0]) == len(tokens)
    assert attention["num_tokens"] >= len(tokens)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"txt": "a"}, "an object has the keys"),
        ({"text": ["a", "b"]}, "must be a text or a pair of texts"),
        ({"text": 3}, "must be a text or a pair of texts"),
        ([], "an object has the keys"),
    ],
)
def test_a_question_that_is_none_has_an_error(address, question, message):
    status, answer = ask(address("classifier"), "answer", question)
    assert status == 400 and message in answer["error"]


def test_attention_is_shown_of_the_first_tokens(address):
    status, attention = ask(address("classifier"), "attention", {"text": "a " * 80})
    assert (status, attention["num_tokens"]) == (200, 82)
    assert len(attention["tokens"]) == demo.MOST_TOKENS_SHOWN


def test_requests_by_another_name_and_for_other_pages_are_refused(address):
    assert ask(address("classifier"), "answer", {"text": "a"}, host="evil.example")[0] == 404
    assert ask(address("classifier"), "etc/passwd", {})[0] == 404


def test_a_question_that_is_too_long_is_read_to_its_end_and_refused(address):
    status, answer = ask(address("classifier"), "answer", {"text": "a" * (20 << 20)})
    assert status == 400 and "has at most 1048576 bytes. Received: 20971" in answer["error"]


def test_a_size_that_is_none_is_refused(address):
    connection = http.client.HTTPConnection(address("classifier").removeprefix("http://"))
    connection.putrequest("POST", "/answer")
    connection.putheader("Content-Length", "9" * 5000)
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


def test_a_port_that_is_taken(address):
    port = int(address("classifier").rpartition(":")[2])
    with pytest.raises(
        InputError, match=f"--port must be a free one, or 0 for any. Received: {port}"
    ):
        demo.server(None, "none", port)


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER, reason="there is no Chromium")
@pytest.mark.parametrize("model", QUESTIONS)
def test_the_page_in_a_browser(address, model, tmp_path):
    question = {
        name: "\n".join(text) if isinstance(text, list) else text
        for name, text in QUESTIONS[model].items()
    }
    url = f"{address(model)}/?{urllib.parse.urlencode(question)}"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command = [BROWSER, *flags, "--virtual-time-budget=20000", "--dump-dom", url]
    page = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    shown = html.unescape(re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.S))
    answer = re.search(r'<div id="answer">(.*?)<div id="attention"', shown, re.S)[1]
    assert answer.strip() and "error" not in answer
    assert f"<title>{model}</title>" in page
    assert "[CLS]" in shown  # the map of attention
