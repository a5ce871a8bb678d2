"""A run that is killed goes on by the same command, with early stopping and dropout on."""

import json
import os
import signal

import numpy as np
import pytest

from bert_keras.fine_tuning import job
from bert_keras.fine_tuning.early_stopping import LOG_NAME
from bert_keras.training import run_state
from bert_keras.training.stop import StopRequest
from tests.fine_tuning import letters
from tests.run_pretraining import processes

NUM_STEPS = 24


def fine_tune(settings):
    with StopRequest() as stop:
        job.run(settings, letters.read_assignment, stop)
    return stop.exit_status


@pytest.mark.slow
def test_a_run_that_was_killed(tmp_path):
    model = letters.write_model(tmp_path)
    changes = {"num_train_epochs": 4.0, "save_checkpoints_steps": 1, "early_stopping_epochs": 9}
    whole = letters.settings(model, tmp_path / "whole", **changes)
    ended = letters.settings(model, tmp_path / "ended", **changes)
    context = processes.context()
    first, second = (
        processes.start(context, settings, program=fine_tune) for settings in (whole, ended)
    )
    processes.wait_for(lambda: _saved(ended.output_dir) >= 8, second.is_alive)
    os.kill(second.pid, signal.SIGKILL)
    assert processes.join([first, second]) == [0, -signal.SIGKILL]
    assert 8 <= _saved(ended.output_dir) < NUM_STEPS
    assert processes.join([processes.start(context, ended, program=fine_tune)]) == [0]
    expected = processes.saved(whole.output_dir, NUM_STEPS)
    found = processes.saved(ended.output_dir, NUM_STEPS)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    for file in (LOG_NAME, "eval_results.txt", "finished_model.json"):
        assert (tmp_path / "ended" / file).read_text() == (tmp_path / "whole" / file).read_text()
    assert len(json.loads((tmp_path / "whole" / LOG_NAME).read_text())["scores"]) == 4


def _saved(folder):
    """The newest step of a run that has begun."""
    return max(run_state.saved_steps(folder), default=0) if os.path.isdir(folder) else 0
