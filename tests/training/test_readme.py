"""The commands of the page about training run as printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bert_keras
from tests.run_pretraining.processes import free_addresses

PAGE = Path(bert_keras.__file__).parent / "training" / "README.md"


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = "set -e\n" + "".join(blocks)
    for port, address in zip(("12345", "12346"), free_addresses(2), strict=True):
        script = script.replace(f"localhost:{port}", address)
    folders = [str(PAGE.parents[2]), os.path.dirname(sys.executable)]
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ
        | {"PYTHONPATH": folders[0], "PATH": os.pathsep.join([folders[1], os.environ["PATH"]])},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    finished = {path.parent.name for path in tmp_path.glob("*/bert_model.ckpt.index")}
    assert finished == {"one", "parts", "two_workers", "lamb", "queue"}
    assert "time to finish" in result.stdout and "can work together" in result.stdout
