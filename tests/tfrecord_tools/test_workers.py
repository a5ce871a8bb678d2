"""Several processes give what one gives, and end with their parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.workers import WorkerDied, Workers

ROOT = Path(__file__).parents[2]


def multiplier(factor):
    def multiply(number):
        if number == "wrong":
            raise InputError("this number is wrong")
        if number == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        return factor * number

    return multiply


def adder(number):
    return number.__add__


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(num_workers):
    with Workers(num_workers) as workers:
        results = workers.run(multiplier, (3,), iter(range(40)))
        assert list(results) == [3 * number for number in range(40)]
        assert list(workers.run(multiplier, (4,), [1, 2])) == [4, 8]
        assert list(workers.run(adder, (4,), [1, 2])) == [5, 6]


def test_tasks_are_taken_as_results_are():
    taken = []
    tasks = (taken.append(number) or number for number in range(100))
    with Workers(2) as workers:
        assert next(workers.run(multiplier, (2,), tasks)) == 0
        assert len(taken) <= 5


@pytest.mark.parametrize("num_workers", [1, 2])
def test_an_error_of_a_task_is_that_of_the_whole(num_workers):
    with pytest.raises(InputError, match="this number is wrong"), Workers(num_workers) as workers:
        list(workers.run(multiplier, (3,), [1, 2, "wrong", 4]))


def test_a_killed_worker_is_named_with_its_signal():
    message = "ended by SIGKILL; too little memory"
    with pytest.raises(WorkerDied, match=message), Workers(2) as workers:
        list(workers.run(multiplier, (3,), [1, 2, "deadly", *range(20)]))


PARENT = """
import os, time
from tfrecord_tools.workers import Workers

def sleeper():
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two workers share the pipe
    return time.sleep

if __name__ == "__main__":
    with Workers(2) as workers:
        list(workers.run(sleeper, (), [60] * 4))
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_when_their_parent_is_killed(ending, tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
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
