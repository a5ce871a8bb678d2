"""One device and several train alike: the same weights and results, however a batch is split.

Two logical CPU devices under MirroredStrategy, and two processes that add their gradients over
loopback under MultiWorkerMirroredStrategy.
"""

import dataclasses
import functools
import json
import math

import numpy as np
import pytest

from bert_keras.run_pretraining import main
from bert_keras.training.logs import read_log
from tests.run_pretraining import processes
from tests.run_pretraining.inputs import CONFIG, settings_for

NUM_STEPS = 10
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
# How the same training is done -> flags, number of devices, number of workers
WAYS = {
    "one device": ({}, 1, 1),
    "mirrored": ({"strategy": "mirrored"}, 2, 1),
    "workers": ({}, 1, 2),
    "accumulated": ({"gradient_accumulation_steps": 4}, 1, 1),
    "looped": ({"iterations_per_loop": 4}, 1, 1),
    "compiled": ({"xla": True}, 1, 1),
    "rematerialized": ({"rematerialize": True}, 1, 1),
    "mirrored and all of it": (
        {
            "strategy": "mirrored",
            "gradient_accumulation_steps": 2,
            "iterations_per_loop": 4,
            "xla": True,
            "rematerialize": True,
        },
        2,
        1,
    ),
    "workers and all of it": (
        {"gradient_accumulation_steps": 2, "iterations_per_loop": 4, "xla": True},
        1,
        2,
    ),
}


@pytest.fixture(scope="module")
def train(inputs, tmp_path_factory):
    """A function of a way that returns the folder of the run."""
    context, folder = processes.context(), tmp_path_factory.mktemp("devices")
    (folder / "config.json").write_text(json.dumps(CONFIG | NO_DROPOUT))

    @functools.cache
    def run(way):
        flags, num_devices, num_workers = WAYS[way]
        settings = dataclasses.replace(
            settings_for(inputs, folder / way),
            bert_config_file=str(folder / "config.json"),
            learning_rate=1e-4,
            num_train_steps=NUM_STEPS,
            num_warmup_steps=0,
            save_checkpoints_steps=NUM_STEPS,
            report_steps=5,
            do_eval=True,
            max_eval_steps=0,  # 50 records in batches of 8: the last one is filled up
            **flags,
        )
        if num_workers > 1:
            started = processes.start_workers(context, settings, num_workers)
            assert processes.join(started) == [0] * num_workers
        elif num_devices > 1:
            assert processes.join([processes.start(context, settings, num_devices)]) == [0]
        else:
            assert main(settings) == 0
        return settings.output_dir

    return run


def slow_but(way):
    return way if way == "accumulated" else pytest.param(way, marks=pytest.mark.slow)


@pytest.mark.parametrize("way", [slow_but(way) for way in list(WAYS)[1:]])
def test_weights_and_results_are_those_of_one_device(train, way):
    expected = processes.saved(train("one device"), NUM_STEPS)
    tensors = processes.saved(train(way), NUM_STEPS)
    assert tensors.keys() == expected.keys()
    weights = {name: value for name, value in expected.items() if "adam" not in name}
    global_norm = math.sqrt(sum(float(np.sum(np.square(value))) for value in weights.values()))
    for name, value in weights.items():
        # The true gradient of a key bias is 0: Adam makes steps of what rounding leaves of it.
        norm = global_norm if "key/bias" in name else np.linalg.norm(value)
        assert np.linalg.norm(tensors[name] - value) <= 1e-6 * norm, name
    results, others = results_of(train("one device")), results_of(train(way))
    assert others == pytest.approx(results, rel=1e-6)
    for report, other in zip(read_log(train("one device")), read_log(train(way)), strict=True):
        shared = report.keys() - {"examples_per_second", "tokens_per_second", "input_wait_share"}
        assert {name: other[name] for name in shared} == pytest.approx(
            {name: report[name] for name in shared}, rel=1e-5
        )


def results_of(folder):
    with open(f"{folder}/eval_results.txt") as file:
        return {name: float(value) for name, value in (line.split(" = ") for line in file)}
