"""The bash blocks of a README.md, run as printed."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def run_commands(
    page: Path, folder: Path, replaced: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess:
    """Runs all blocks of a page as one script in `folder`, some words of it replaced."""
    blocks = re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    script = "set -e\n" + "".join(blocks)
    for old, new in (replaced or {}).items():
        script = script.replace(old, new)
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": root, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result
