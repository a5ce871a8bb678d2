"""One process at a time holds a lock."""

import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.locks import exclusive_lock, waiting_lock

ROOT = Path(__file__).parents[1]


def test_a_second_holder_is_refused_until_the_first_lets_go(tmp_path):
    path = str(tmp_path / "lock")
    with (
        exclusive_lock(path, "in use"),
        pytest.raises(InputError, match="in use"),
        exclusive_lock(path, "in use"),
    ):
        pass
    with exclusive_lock(path, "in use"):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    path = str(tmp_path / "lock")
    program = (
        "import os, signal\nfrom bert_keras.locks import exclusive_lock\n"
        f"with exclusive_lock({path!r}, ''):\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT)
    with exclusive_lock(path, "in use"):
        pass


def test_a_holder_may_remove_the_file(tmp_path):
    path = tmp_path / "lock"
    with exclusive_lock(str(path), "in use"):
        path.unlink()
        with exclusive_lock(str(path), "in use"):
            pass


def test_one_waits_for_the_other(tmp_path):
    path = str(tmp_path / "lock")
    program = (
        "from bert_keras.locks import waiting_lock\n"
        f"with waiting_lock({path!r}):\n    print('held')"
    )
    with waiting_lock(path):
        waiting = subprocess.Popen(
            [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.5)
    assert waiting.communicate(timeout=60)[0] == "held\n"


@pytest.mark.parametrize("lock", [waiting_lock, lambda path: exclusive_lock(path, "in use")])
def test_a_lock_that_cannot_be_made(lock, tmp_path):
    with pytest.raises(InputError, match="lock cannot be written"), lock(f"{tmp_path}/no/lock"):
        pass
