"""When a stop is met: at once by one process, after the same step by several workers."""

import os
import signal
import subprocess
import sys

import pytest
import tensorflow as tf

from bert_keras.training.stop import SharedStop, StopRequest, signals_act_at_once


def test_the_first_request_gives_the_reason():
    stop = StopRequest()
    assert (stop.reason, stop.flag) == (None, 0.0)
    stop.request("--max_hours=1")
    stop.request("SIGTERM")
    assert (stop.reason, stop.flag, stop.exit_status) == ("--max_hours=1", 1.0, 0)


@pytest.mark.parametrize("asked", range(6))
def test_workers_stop_after_the_same_step_whichever_was_asked(asked):
    """Worker 1 is asked before it takes step `asked`; every step adds the flags of both."""
    own = [StopRequest(), StopRequest()]
    shared = [SharedStop(request) for request in own]
    steps = [0, 0]
    for step in range(10):
        if step == asked:
            own[1].request("SIGTERM")
        running = [stop.reason is None for stop in shared]
        assert running[0] == running[1]
        if not running[0]:
            break
        num_stops = tf.constant(sum(stop.flag for stop in shared))
        for index, stop in enumerate(shared):
            stop.note(num_stops)
            steps[index] += 1
    assert steps == [asked + 2] * 2  # the sum of the step before the last decides
    assert [stop.reason for stop in shared] == ["another worker", "SIGTERM"]


def test_a_decision_stays():
    stop = SharedStop(StopRequest())
    for num_stops in (1.0, 0.0, 0.0, 0.0):
        stop.note(tf.constant(num_stops))
    assert stop.reason == "another worker"


def test_a_signal_ends_a_process_that_waits_where_no_handler_runs():
    program = """
import os, signal
from bert_keras.training.stop import StopRequest, signals_act_at_once
with StopRequest(), signals_act_at_once():
    os.kill(os.getpid(), signal.SIGTERM)
"""
    result = subprocess.run([sys.executable, "-c", program], env=os.environ, check=False)
    assert result.returncode == -signal.SIGTERM


def test_handlers_come_back_after_the_wait():
    with StopRequest() as stop:
        with signals_act_at_once():
            pass
        os.kill(os.getpid(), signal.SIGTERM)
    assert stop.reason == "SIGTERM"
