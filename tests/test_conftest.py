"""What the settings of the tests do to those that need PyTorch."""

import re
import subprocess
import sys

import pytest

# A module that is None cannot be found: pytest sees the extra as not installed.
WITHOUT_PEERS = """
import sys
sys.modules["sentence_transformers"] = None
import pytest
sys.exit(pytest.main())
"""


@pytest.mark.slow
def test_without_the_extra_one_line_stands_for_all_tests_of_parity():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PEERS, "-q", "-m", "parity", "-p", "no:cacheprovider"]
        + ["tests/parity/test_hugging_face.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    *_, line, counts = done.stdout.splitlines()
    assert line == (
        "The tests marked `parity` are skipped without sentence_transformers: "
        "pip install '.[parity]'"
    )
    assert re.match("[0-9]+ deselected in", counts)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
