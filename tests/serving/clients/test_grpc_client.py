"""The client against a small prediction service over a real export; not the official server."""

import json

import numpy as np
import pytest
import tensorflow as tf

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.serving.load import load_head
from bert_keras.serving.predictor import Predictor
from bert_keras.serving.saved_model import export
from bert_keras.serving.warm_up import WARM_UP_FILE
from tests.checkpoints import stored_models

pytest.importorskip("tensorflow_serving.apis.predict_pb2")
import grpc  # noqa: E402
from tensorflow_serving.apis import prediction_log_pb2, prediction_service_pb2_grpc  # noqa: E402

from bert_keras.serving.clients import grpc_client  # noqa: E402
from experiments import prediction_service  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model, and the address of a service over its export."""
    folder = tmp_path_factory.mktemp("model")
    stored_models.write(stored_models.stored("classifier"), folder / "model", "bert_keras")
    version = export(load_head(str(folder / "model")), str(folder / "served"))
    server, address = prediction_service.start(version)
    yield folder / "model", address
    server.stop(None)


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
    assert len(logs) == 7  # six of texts, one of pairs
    with grpc.insecure_channel(address) as channel:
        service = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        for log in logs:
            request = log.predict_log.request
            found = tf.make_ndarray(service.Predict(request).outputs["label"])
            assert found.shape == tf.make_ndarray(request.inputs["text"]).shape


def test_a_server_that_is_not_there():
    with pytest.raises(InputError, match="refused the request: (UNAVAILABLE|DEADLINE_EXCEEDED)"):
        grpc_client.predict({"text": ["a"]}, "127.0.0.1:1", timeout=5)


def test_no_texts_have_no_answers_and_rows_may_differ_in_length(model):
    found = grpc_client.predict({"text": [], "text_b": []}, model[1], signature="pairs")
    assert found["probabilities"].shape == (0, 3)
    rows = [[2, 5, 3], [2, 5, 6, 7, 3]]
    found = grpc_client.predict({"input_ids": rows}, model[1], signature="tokens")
    for row, logits in zip(rows, found["logits"], strict=True):
        alone = grpc_client.predict({"input_ids": [row]}, model[1], signature="token_ids")
        np.testing.assert_allclose(logits, alone["logits"][0], atol=1e-5)


@pytest.mark.parametrize("values", [[["a"], ["b", "c"]], [[1.5]], [None], ["\ud800"]])
def test_what_is_neither_text_nor_number_is_refused(values):
    with pytest.raises(InputError, match="text must hold texts, or whole numbers.* Received"):
        grpc_client.predict({"text": values}, "127.0.0.1:1")
