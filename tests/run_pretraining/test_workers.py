"""Two workers on this machine: signals, kills, and what they have to agree on. All of it is real.

The workers are processes that add their gradients over loopback.
"""

import dataclasses
import json
import math
import os
import signal
import socket
import time
from pathlib import Path

import numpy as np
import pytest

from bert_keras.training import run_state
from tests.run_pretraining import processes
from tests.run_pretraining.inputs import settings_for

NUM_STEPS = 120


@pytest.fixture(scope="module")
def context():
    return processes.context()


def long_settings(inputs, folder):
    """A run that lasts some seconds, dropout on; it says when it has begun."""
    return dataclasses.replace(
        settings_for(inputs, folder),
        learning_rate=1e-4,
        num_train_steps=NUM_STEPS,
        num_warmup_steps=0,
        save_checkpoints_steps=40,
        report_steps=1,
    )


@pytest.fixture(scope="module")
def at_once(context, inputs, tmp_path_factory):
    """The folder of a run that nothing interrupted."""
    settings = long_settings(inputs, tmp_path_factory.mktemp("workers") / "at_once")
    assert processes.join(processes.start_workers(context, settings)) == [0, 0]
    return settings.output_dir


def assert_near(folder, expected_folder):
    """Weights within 1e-6 of each tensor's norm; of key biases, whose gradient is 0, of all."""
    tensors = processes.saved(folder, NUM_STEPS)
    expected = processes.saved(expected_folder, NUM_STEPS)
    weights = {name: value for name, value in expected.items() if "adam" not in name}
    global_norm = math.sqrt(sum(float(np.sum(np.square(value))) for value in weights.values()))
    for name, value in weights.items():
        norm = global_norm if "key/bias" in name else np.linalg.norm(value)
        assert np.linalg.norm(tensors[name] - value) <= 1e-6 * norm, name


def begun(folder, num_reports=3):
    """Whether the run has written so many reports."""
    path = Path(folder) / "train_log.jsonl"
    return path.is_file() and len(path.read_text().splitlines()) >= num_reports


def text_of(errors, index):
    with open(f"{errors}.{index}") as file:
        return file.read()


@pytest.mark.slow
def test_sigterm_to_one_worker_saves_once_and_ends_both(context, inputs, tmp_path, at_once):
    settings, errors = long_settings(inputs, tmp_path / "run"), str(tmp_path / "errors")
    workers = processes.start_workers(context, settings, errors=errors)
    processes.wait_for(lambda: begun(settings.output_dir), workers[0].is_alive)
    os.kill(workers[1].pid, signal.SIGTERM)
    assert processes.join(workers) == [0, 0]
    [*_, step] = run_state.saved_steps(settings.output_dir)
    assert 0 < step < NUM_STEPS
    for index, reason in enumerate(("another worker", "SIGTERM")):
        assert f"Stopped by {reason} at step {step} of {NUM_STEPS}" in text_of(errors, index)
    assert processes.join(processes.start_workers(context, settings)) == [0, 0]
    assert_near(settings.output_dir, at_once)


@pytest.mark.slow
@pytest.mark.parametrize("number, lost", [(signal.SIGKILL, 1), (signal.SIGSTOP, 0)])
def test_a_worker_that_is_lost_ends_the_other(context, inputs, tmp_path, at_once, number, lost):
    """Killed, or alive without an answer."""
    settings, errors = long_settings(inputs, tmp_path / "run"), str(tmp_path / "errors")
    workers = processes.start_workers(context, settings, errors=errors)
    processes.wait_for(lambda: begun(settings.output_dir, 50), workers[0].is_alive)
    os.kill(workers[lost].pid, number)
    assert processes.join([workers[1 - lost]], seconds=60) == [1]
    workers[lost].kill()
    workers[lost].join()
    said = text_of(errors, 1 - lost)
    assert "lost another one" in said and "start all workers again" in said
    assert "Traceback" not in said
    assert processes.join(processes.start_workers(context, settings)) == [0, 0]
    assert_near(settings.output_dir, at_once)


@pytest.mark.slow
@pytest.mark.parametrize(
    "flag, values",
    [("learning_rate", (1e-4, 1e-3)), ("iterations_per_loop", (1, 3)), ("do_eval", (True, False))],
)
def test_workers_with_other_flags_are_refused(context, inputs, tmp_path, flag, values):
    settings, errors = long_settings(inputs, tmp_path / "run"), str(tmp_path / "errors")
    addresses = processes.free_addresses(2)
    workers = [
        processes.start(
            context,
            dataclasses.replace(settings, **{flag: value}),
            workers=addresses,
            index=index,
            errors=f"{errors}.{index}",
        )
        for index, value in enumerate(values)
    ]
    assert processes.join(workers) == [1, 1]
    for index in range(2):
        assert "All workers must have the flags alike" in text_of(errors, index)
    assert run_state.saved_steps(settings.output_dir) == []


def test_the_chief_cannot_begin_and_both_end(context, inputs, tmp_path):
    settings, errors = long_settings(inputs, tmp_path / "run"), str(tmp_path / "errors")
    # Only the chief writes there, and finds that it cannot.
    (tmp_path / "run" / "writable.unfinished").mkdir(parents=True)
    workers = processes.start_workers(context, settings, errors=errors)
    assert processes.join(workers) == [1, 1]
    assert "--output_dir must be a folder" in text_of(errors, 0)
    assert "lost another one" in text_of(errors, 1)
    assert "Traceback" not in text_of(errors, 1)


@pytest.mark.slow
def test_the_chief_cannot_save_and_both_end(context, inputs, tmp_path):
    settings, errors = long_settings(inputs, tmp_path / "run"), str(tmp_path / "errors")
    os.makedirs(settings.output_dir)
    blocking = run_state.checkpoint_path(settings.output_dir, 40) + ".data-00000-of-00001"
    os.makedirs(os.path.join(blocking, "in_the_way"))
    workers = processes.start_workers(context, settings, errors=errors)
    assert processes.join(workers) == [1, 1]
    assert "The checkpoint of step 40 could not be written" in text_of(errors, 0)
    assert "lost another one" in text_of(errors, 1)


def test_a_port_in_use_is_named(context, settings, tmp_path):
    errors = str(tmp_path / "errors")
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        addresses = [f"127.0.0.1:{port}", *processes.free_addresses(1)]
        worker = processes.start(context, settings, workers=addresses, errors=errors)
        assert processes.join([worker]) == [1]
    with open(errors) as file:
        assert f"{port} of 127.0.0.1:{port} cannot be used" in file.read()


def test_sigterm_ends_a_worker_that_waits_for_the_others(context, settings, tmp_path):
    errors = tmp_path / "errors"
    addresses = processes.free_addresses(2)
    worker = processes.start(context, settings, workers=addresses, index=1, errors=errors)
    processes.wait_for(
        lambda: errors.is_file() and "waits until" in errors.read_text(),
        worker.is_alive,
    )
    time.sleep(1)  # it is the wait itself that has to end, not the way to it
    worker.terminate()
    assert processes.join([worker], seconds=20) == [-signal.SIGTERM]


@pytest.mark.slow
def test_the_order_of_data_does_not_depend_on_the_devices(context, inputs, tmp_path):
    """Stopped on one device, gone on with two, and with one again; dropout off."""
    with open(inputs / "config.json") as file:
        config = json.load(file)
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (tmp_path / "config.json").write_text(json.dumps(config))
    settings = dataclasses.replace(
        long_settings(inputs, tmp_path / "run"),
        bert_config_file=str(tmp_path / "config.json"),
        report_steps=40,
        stop_after_steps=40,
    )
    whole = dataclasses.replace(settings, output_dir=str(tmp_path / "whole"), stop_after_steps=0)
    ways = [(settings, 1), (dataclasses.replace(settings, strategy="mirrored"), 2), (settings, 1)]
    for part, num_devices in [*ways, (whole, 1)]:
        assert processes.join([processes.start(context, part, num_devices)]) == [0]
    assert_near(settings.output_dir, whole.output_dir)


@pytest.mark.slow
def test_two_devices_that_are_killed_go_on_as_if_not(context, inputs, tmp_path):
    """MirroredStrategy, dropout on."""
    settings = dataclasses.replace(long_settings(inputs, tmp_path / "run"), strategy="mirrored")
    whole = dataclasses.replace(settings, output_dir=str(tmp_path / "whole"))
    killed = processes.start(context, settings, num_devices=2)
    processes.wait_for(lambda: begun(settings.output_dir, 50), killed.is_alive)
    killed.kill()
    killed.join()
    for part in (settings, whole):
        assert processes.join([processes.start(context, part, num_devices=2)]) == [0]
    assert_near(settings.output_dir, whole.output_dir)
