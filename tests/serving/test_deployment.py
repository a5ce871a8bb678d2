"""Files for a server; the official one was not there to read them."""

import json
import re
import socket
import subprocess
from pathlib import Path

import pytest
from google.protobuf import text_format

from bert_keras.serving import deployment

REQUEST = {"question": ["Who?"], "context": ["I."]}


@pytest.fixture
def folder(tmp_path):
    assert deployment.write(str(tmp_path), REQUEST) == [*deployment.FILES]
    return tmp_path


def test_what_an_operator_changed_stays(folder):
    (folder / "models.config").write_text("mine")
    (folder / "Dockerfile").unlink()
    assert deployment.write(str(folder), REQUEST) == ["Dockerfile"]
    assert (folder / "models.config").read_text() == "mine"


def test_the_server_reads_its_models(folder):
    configs = pytest.importorskip("tensorflow_serving.config.model_server_config_pb2")
    found = text_format.Parse((folder / "models.config").read_text(), configs.ModelServerConfig())
    [config] = found.model_config_list.config
    assert (config.name, config.base_path) == (deployment.NAME, f"/models/{deployment.NAME}")
    assert config.model_version_policy.latest.num_versions == 1


def test_the_server_never_pads():
    """Its filling would be the first value of each input: a mask of ones."""
    text = Path(deployment.__file__).with_name("deploy").joinpath("batching_parameters.txt")
    lines = [line for line in text.read_text().splitlines() if not line.startswith("#")]
    assert [line.split()[0] for line in lines] == [
        "max_batch_size",
        "batch_timeout_micros",
        "max_enqueued_batches",
        "num_batch_threads",
    ]


def test_requests_are_not_batched_by_default(folder):
    """It would refuse one mask for all, and requests of different lengths that meet."""
    for name in ("Dockerfile", "compose.yaml"):
        assert "batching" not in (folder / name).read_text()


def test_container_and_compose_start_it_alike(folder):
    docker = re.findall(r'"(--[^"]+)"', (folder / "Dockerfile").read_text())
    compose = re.findall(r"- (--\S+)", (folder / "compose.yaml").read_text())
    assert docker and docker == compose
    named = [flag.rpartition("/")[2] for flag in docker if "=/models/bert/" in flag]
    assert {*named} <= {path.name for path in folder.iterdir()}


def test_the_check_of_health_finds_a_server_and_none(folder):
    """By bash: the plain shell of many images has no /dev/tcp."""
    [line] = re.findall(r"test: (\[.*\])", (folder / "compose.yaml").read_text())
    kind, *command = json.loads(line)
    assert kind == "CMD"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        command = [word.replace("8501", port) for word in command]
        assert subprocess.run(command).returncode == 0
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0


def test_the_requests_of_the_page_are_those_of_the_model(folder):
    page = (folder / "DEPLOY.md").read_text()
    found = [json.loads(one) for one in re.findall(r"(?:-d |--inputs=)'(.*?)'", page)]
    assert found == [{"inputs": REQUEST}, REQUEST, REQUEST]
