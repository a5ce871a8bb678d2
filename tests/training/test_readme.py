"""The commands of the page about training run as printed."""

from pathlib import Path

import pytest

import bert_keras
from tests import pages
from tests.run_pretraining.processes import free_addresses

PAGE = Path(bert_keras.__file__).parent / "training" / "README.md"


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    addresses = free_addresses(2)
    ports = {"localhost:12345": addresses[0], "localhost:12346": addresses[1]}
    result = pages.run_commands(PAGE, tmp_path, ports)
    finished = {path.parent.name for path in tmp_path.glob("*/bert_model.ckpt.index")}
    assert finished == {"one", "parts", "two_workers", "lamb", "queue"}
    assert "time to finish" in result.stdout and "can work together" in result.stdout
