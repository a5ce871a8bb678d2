"""The client against a real export: served by the official server where it is on the PATH.

Nowhere it was: a small service stands in for it, and has messages of its own.
"""

import json
import os
import shutil
import sys

import numpy as np
import pytest
import tensorflow as tf

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.serving.load import load_model
from bert_keras.serving.predictor import Predictor
from bert_keras.serving.saved_model import export
from bert_keras.serving.warm_up import WARM_UP_FILE
from tests.checkpoints import stored_models

pytest.importorskip("tensorflow_serving.apis.predict_pb2")
import grpc  # noqa: E402
from tensorflow_serving.apis import prediction_log_pb2, prediction_service_pb2_grpc  # noqa: E402

from bert_keras.serving.clients import grpc_client  # noqa: E402
from tests.serving.clients import servers  # noqa: E402

needs_own_words = pytest.mark.skipif(
    bool(shutil.which(servers.BINARY)), reason="the official server has other words"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model, and the address of a service over its export."""
    folder = tmp_path_factory.mktemp("model")
    stored_models.write(stored_models.stored("classifier"), folder / "model", "bert_keras")
    export(load_model(str(folder / "model")), str(folder / "served"))
    with servers.serving(str(folder / "served")) as address:
        yield folder / "model", address


def test_answers_are_those_of_the_predictor(model):
    folder, address = model
    texts = ["a b c", "", "d \u4eac"]
    found = grpc_client.predict({"text": texts}, address)
    answers = Predictor(folder).predict(texts)
    assert [label.decode() for label in found["label"]] == [one.label for one in answers]
    expected = [[*one.probabilities.values()] for one in answers]
    np.testing.assert_allclose(found["probabilities"], expected, atol=1e-5)


def test_numbers_are_sent_as_such(model):
    found = grpc_client.predict({"input_ids": [[2, 5, 3]]}, model[1], signature="token_ids")
    assert found["logits"].shape == (1, 3)


def test_the_program_prints_text(model, capsys):
    line = ["--inputs", '{"text": ["a"]}', f"--address={model[1]}"]
    grpc_client.main(flags.parse(grpc_client.Settings, line))
    assert json.loads(capsys.readouterr().out)["label"][0] in stored_models.CONFIG.labels


@needs_own_words
@pytest.mark.parametrize(
    ("inputs", "signature", "message"),
    [
        ({"txt": ["a"]}, "serving_default", "INVALID_ARGUMENT: serving_default takes text"),
        ({"text": ["a"]}, "oracle", "FAILED_PRECONDITION: There is no signature oracle"),
        (
            {"input_ids": [[2, 999, 3]]},
            "token_ids",
            "less than vocab_size.*39.*999",
        ),
        (
            {"input_ids": [[2] * 50]},
            "token_ids",
            "max_position_embeddings.*50.*20",
        ),
    ],
)
def test_a_refusal_says_why(model, inputs, signature, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        grpc_client.predict(inputs, model[1], signature=signature)


def test_the_requests_that_warm_a_server_up_are_answered(model):
    folder, address = model
    records = tf.data.TFRecordDataset(str(folder.parent / "served" / "1" / WARM_UP_FILE))
    logs = [prediction_log_pb2.PredictionLog.FromString(record.numpy()) for record in records]
    assert len(logs) == 8  # seven of texts, one of pairs
    with grpc.insecure_channel(address) as channel:
        service = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        for log in logs:
            request = log.predict_log.request
            found = tf.make_ndarray(service.Predict(request).outputs["label"])
            assert found.shape == tf.make_ndarray(request.inputs["text"]).shape


def test_a_server_that_is_not_there():
    with pytest.raises(
        InputError, match="127.0.0.1:1 must be a server .* Received: (UNAVAILABLE|DEADLINE)"
    ):
        grpc_client.predict({"text": ["a"]}, "127.0.0.1:1", timeout=5)
    with pytest.raises(InputError, match="must be HOST:PORT. Received: http://127.0.0.1:1"):
        grpc_client.predict({"text": ["a"]}, "http://127.0.0.1:1")


def test_no_texts_have_no_answers_and_rows_may_differ_in_length(model):
    found = grpc_client.predict({"text": [], "text_b": []}, model[1], signature="pairs")
    assert found["probabilities"].shape == (0, 3)
    rows = [[2, 5, 3], [2, 5, 6, 7, 3]]
    found = grpc_client.predict({"input_ids": rows}, model[1], signature="tokens")
    for row, logits in zip(rows, found["logits"], strict=True):
        alone = grpc_client.predict({"input_ids": [row]}, model[1], signature="token_ids")
        np.testing.assert_allclose(logits, alone["logits"][0], atol=1e-5)


def test_an_answer_may_be_larger_than_grpc_usually_takes(model):
    found = grpc_client.predict({"text": ["a"] * 300_000}, model[1])
    assert found["probabilities"].shape == (300_000, 3)  # 3.6 MB, and as many of labels


@pytest.mark.parametrize("values", [[["a"], ["b", "c"]], [[1.5]], [None], ["\ud800"]])
def test_what_is_neither_text_nor_number_is_refused(values):
    with pytest.raises(InputError, match="text must hold texts, or whole numbers.* Received"):
        grpc_client.predict({"text": values}, "127.0.0.1:1")


@pytest.mark.slow
@needs_own_words
def test_a_server_on_the_path_is_asked(model, tmp_path, monkeypatch):
    """A program of that name that takes its flags; it runs the small service."""
    binary = tmp_path / servers.BINARY
    binary.write_text(
        f"""#!{sys.executable}
import os, sys
port, _, versions = (word.partition("=")[2] for word in sys.argv[1:])
command = [sys.executable, "-m", "experiments.prediction_service"]
os.execv(sys.executable, [*command, f"--port={{port}}", f"--version={{versions}}/1"])
"""
    )
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with servers.serving(str(model[0].parent / "served")) as address:
        assert grpc_client.predict({"text": ["a"]}, address)["label"].shape == (1,)
