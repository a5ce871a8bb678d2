"""One device and several fine-tune alike, and give the same answers."""

import dataclasses
import functools

import numpy as np
import pytest

from bert_keras.fine_tuning import job
from bert_keras.fine_tuning.early_stopping import LOG_NAME
from bert_keras.training.stop import StopRequest
from tests.fine_tuning import letters
from tests.run_pretraining import processes

NUM_STEPS = 12
# How the same training is done -> flags, number of devices, number of workers
WAYS = {
    "one device": ({}, 1, 1),
    "mirrored": ({"strategy": "mirrored"}, 2, 1),
    "workers": ({}, 1, 2),
}


def fine_tune(settings):
    job.run(settings, letters.read_assignment, StopRequest())
    return 0


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    """A function of a way that returns the folder of the run."""
    context, folder = processes.context(), tmp_path_factory.mktemp("devices")
    model = letters.write_model(folder)
    # Every replica and every part of a batch draws dropout masks of its own.
    steady = dataclasses.replace(
        letters.CONFIG, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    (folder / "config.json").write_text(steady.to_json_string())

    @functools.cache
    def run(way):
        flags, num_devices, num_workers = WAYS[way]
        settings = letters.settings(
            model, folder / way, eval_batch_size=16, early_stopping_epochs=9, **flags
        )
        if num_workers > 1:
            started = processes.start_workers(context, settings, num_workers, program=fine_tune)
        else:
            started = [processes.start(context, settings, num_devices, program=fine_tune)]
        assert processes.join(started) == [0] * num_workers
        return folder / way

    return run


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in WAYS if way != "one device"])
def test_a_batch_that_is_shared_teaches_the_same(train, way):
    one, other = train("one device"), train(way)
    expected, found = processes.saved(str(one), NUM_STEPS), processes.saved(str(other), NUM_STEPS)
    for name, value in expected.items():
        if "seed" not in name:
            np.testing.assert_allclose(found[name], value, atol=2e-5, err_msg=name)
    assert (other / LOG_NAME).read_text() == (one / LOG_NAME).read_text()
