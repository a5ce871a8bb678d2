"""The service as a program; `tests/serving/clients` asks it in this process."""

import socket
import subprocess
import sys

import pytest

from bert_keras.errors import InputError
from tests.serving.exports import write_export, write_model

pytest.importorskip("tensorflow_serving.apis.predict_pb2")
from bert_keras.serving.clients import grpc_client  # noqa: E402
from experiments import prediction_service  # noqa: E402


@pytest.mark.slow
def test_the_program_answers_at_the_address_that_it_prints(tmp_path):
    version = write_export(write_model(tmp_path / "model", "classifier"), tmp_path / "served")
    command = [sys.executable, "-m", "experiments.prediction_service", f"--version={version}"]
    with subprocess.Popen(
        [*command, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        address, _, rest = process.stdout.readline().partition(" ")
        assert rest == f"answers with {version}. Ctrl-C ends it.\n"
        found = grpc_client.predict({"text": ["a", "b"]}, address)
        assert found["label"].shape == (2,)
        process.terminate()
        assert "TensorFlow" not in process.stderr.read()


def test_what_cannot_be_served_is_refused(tmp_path):
    with pytest.raises(
        InputError, match="--version must be the folder of one version of an export"
    ):
        prediction_service.start(str(tmp_path))
    version = write_export(write_model(tmp_path / "model", "classifier"), tmp_path / "served")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--port must be a free one.*Received: {port}"):
            prediction_service.start(version, port=port)
