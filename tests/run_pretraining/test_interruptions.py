"""Real processes, real signals: a run that is killed or stopped goes on as if it had not been.

The processes are forked from one that has loaded TensorFlow but not begun to use it.
"""

import dataclasses
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from bert_keras.training import run_state
from tests.run_pretraining import processes
from tests.run_pretraining.processes import saved, wait_for

NUM_KILLS = 6


@pytest.fixture(scope="module")
def context():
    return processes.context()


def is_saving(folder):
    """Whether a checkpoint is half written at this moment."""
    return os.path.isdir(folder) and any(
        name.startswith("model.ckpt-") and "unfinished" in name for name in os.listdir(folder)
    )


@pytest.mark.slow
def test_kill_at_many_moments_and_go_on(context, settings, tmp_path):
    """Kills every other process in a save, the others at random; the last one reaches the end."""
    settings = dataclasses.replace(settings, num_train_steps=60, save_checkpoints_steps=1)
    at_once = dataclasses.replace(settings, output_dir=str(tmp_path / "at_once"))
    uninterrupted = processes.start(context, at_once)
    folder, moment, num_seen = settings.output_dir, random.Random(1), 0
    for kill in range(NUM_KILLS):
        process = processes.start(context, settings)
        if kill % 2:
            before = run_state.saved_steps(folder)
            wait_for(lambda: run_state.saved_steps(folder) != before, process.is_alive)  # noqa: B023
            time.sleep(moment.uniform(0, 0.1))
        else:
            wait_for(lambda: is_saving(folder), process.is_alive)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        num_seen += is_saving(folder)
    assert num_seen > 0  # a kill left a file half written
    assert run_state.saved_steps(folder)[-1:] != [60]
    last = processes.start(context, settings)
    assert processes.join([last, uninterrupted]) == [0, 0]
    tensors, expected = saved(folder, 60), saved(at_once.output_dir, 60)
    assert tensors.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(tensors[name], value, err_msg=name)


@pytest.mark.slow
def test_sigterm_saves_and_exits_with_success(settings):
    """The command as people of the original type it, with flags that no longer do anything."""
    changes = {"num_train_steps": 10**6, "save_checkpoints_steps": 10**6, "report_steps": 1}
    process = subprocess.Popen(
        command(settings, **changes) + ["--num_tpu_cores=8"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = f"{settings.output_dir}/train_log.jsonl"
    wait_for(lambda: os.path.isfile(log), lambda: process.poll() is None)
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    lines = []
    while "Stopped by SIGTERM" not in "".join(lines[-1:]):
        lines.append(process.stderr.readline())
        assert lines[-1], lines
    assert time.monotonic() - begin < 10
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert "--num_tpu_cores has no effect" in "".join(lines)
    step, _ = run_state.newest_readable(settings.output_dir, pytest.fail)
    assert f"at step {step} of 1000000" in lines[-1]


def command(settings, **changes):
    """The command line of the settings."""
    words = [sys.executable, "-m", "bert_keras.run_pretraining"]
    for name, value in (dataclasses.asdict(settings) | changes).items():
        if isinstance(value, list):
            value = ",".join(value)
        if value is not None:
            words.append(f"--{name}={value}")
    return words


@pytest.mark.parametrize(
    "environment, message",
    [
        ({"KERAS_BACKEND": "jax"}, "KERAS_BACKEND"),
        ({"TF_USE_LEGACY_KERAS": "1"}, "TF_USE_LEGACY_KERAS"),
    ],
)
def test_another_keras_is_one_clear_error(settings, environment, message):
    result = subprocess.run(
        command(settings), env=os.environ | environment, capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert "Traceback" not in result.stderr
