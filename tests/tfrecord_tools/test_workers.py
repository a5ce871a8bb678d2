"""Several processes give what one gives, and end with their parent."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.workers import WorkerDied, run_tasks


def multiplier(factor):
    def multiply(number):
        if number == "wrong":
            raise InputError("this number is wrong")
        if number == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        return factor * number

    return multiply


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(num_workers):
    results = run_tasks(multiplier, (3,), iter(range(40)), num_workers)
    assert list(results) == [3 * number for number in range(40)]


def test_tasks_are_taken_as_results_are(monkeypatch):
    taken = []
    tasks = (taken.append(number) or number for number in range(100))
    results = run_tasks(multiplier, (2,), tasks, 2)
    assert next(results) == 0
    assert len(taken) <= 5
    results.close()


@pytest.mark.parametrize("num_workers", [1, 2])
def test_an_error_of_a_task_is_that_of_the_whole(num_workers):
    with pytest.raises(InputError, match="this number is wrong"):
        list(run_tasks(multiplier, (3,), [1, 2, "wrong", 4], num_workers))


def test_a_killed_worker_is_named_with_its_signal():
    with pytest.raises(WorkerDied, match="ended by SIGKILL; too little memory"):
        list(run_tasks(multiplier, (3,), [1, 2, "deadly", *range(20)], 2))


PARENT = """
import os, time
from tfrecord_tools.workers import run_tasks

def sleeper():
    print(os.getpid(), flush=True)
    return time.sleep

if __name__ == "__main__":
    list(run_tasks(sleeper, (), [60] * 4, 2))
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_when_their_parent_is_killed(ending, tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    parent = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True, env=environment
    )
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.send_signal(ending)
    parent.wait()
    deadline = time.monotonic() + 10
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def is_running(process_id):
    try:
        with open(f"/proc/{process_id}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
