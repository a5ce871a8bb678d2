"""Two phases of a few steps: what the second one begins with, and that both go on after a stop."""

import dataclasses
import importlib.resources
import json
import os
import signal

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras import run_pretraining
from bert_keras.checkpoints.names import POSITIONS
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.training.logs import read_log
from experiments import pretrain_two_phases, recipes

SAMPLE = importlib.resources.files("bert_keras") / "sample"
PEAK_RATE = 1e-2
TINY = dataclasses.replace(
    recipes.SMALL,
    config=BertConfig(
        vocab_size=1,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=1,
    ),
    phases=(
        recipes.Phase(
            max_seq_length=16,
            max_predictions_per_seq=2,
            train_batch_size=8,
            num_train_steps=6,
            learning_rate=PEAK_RATE,
            num_warmup_steps=2,
        ),
        recipes.Phase(
            max_seq_length=32,
            max_predictions_per_seq=5,
            train_batch_size=4,
            num_train_steps=4,
            learning_rate=PEAK_RATE / 2,
            num_warmup_steps=2,
        ),
    ),
    dupe_factor=1,
)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setitem(recipes.RECIPES, "tiny", TINY)
    return pretrain_two_phases.Settings(
        output_dir=str(tmp_path / "two_phases"),
        recipe="tiny",
        input_file=[str(SAMPLE / "held_out.txt")],
        training_flags=[
            "--save_checkpoints_steps=1",
            "--report_steps=1",
            "--keep_checkpoint_max=0",
        ],
    )


@pytest.mark.slow
def test_the_second_phase_begins_with_the_weights_of_the_first(settings, capsys):
    assert pretrain_two_phases.main(settings) == 0
    first, second = (f"{settings.output_dir}/phase_{number}" for number in (1, 2))
    # The rate of the first step is 0: after it the weights are those that the phase began with.
    trained, begun = tensors(f"{first}/model.ckpt-6"), tensors(f"{second}/model.ckpt-1")
    names = [
        name for name in trained if name.startswith(("bert/", "cls/")) and "/adam_" not in name
    ]
    assert POSITIONS in names
    for name in names:
        num_rows = len(trained[name])
        np.testing.assert_array_equal(begun[name][:num_rows], trained[name])
        assert len(begun[name]) == num_rows or name == POSITIONS
    assert begun[POSITIONS].shape == (32, 16)
    np.testing.assert_array_equal(begun[POSITIONS][16:], initial_positions(second)[16:])
    assert "has 16 rows of 32; rows 16 to 31" in capsys.readouterr().err
    assert begun["global_step"] == 1
    rates = [report["learning_rate"] for report in read_log(second)]
    assert rates == pytest.approx(PEAK_RATE / 2 * np.array([0, 1 / 2, 2 / 4, 1 / 4]))
    learned = tensors(f"{second}/model.ckpt-4")[POSITIONS]
    assert not np.isclose(learned[16:], begun[POSITIONS][16:]).any()


def tensors(checkpoint) -> dict[str, np.ndarray]:
    reader = tf.train.load_checkpoint(checkpoint)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def initial_positions(folder) -> np.ndarray:
    """The position table of a fresh model of the configuration and the seed of a run."""
    keras.utils.set_random_seed(TINY.random_seed)
    model = pretrainer(BertConfig.from_json_file(f"{folder}/config.json"))
    return model.get_layer("embeddings").position_embeddings.numpy()


def test_a_stopped_first_phase_is_not_followed_by_the_second(settings, monkeypatch):
    """SIGTERM ends a saved run with status 0, as its end does."""
    trained = []

    def be_stopped(run):
        trained.append(run.output_dir)
        return 0

    monkeypatch.setattr(run_pretraining, "main", be_stopped)
    assert pretrain_two_phases.main(settings) == 0
    assert trained == [f"{settings.output_dir}/phase_1"]


def test_records_are_made_once_and_again_for_other_settings(settings, monkeypatch):
    monkeypatch.setattr(run_pretraining, "main", lambda run: 128 + signal.SIGINT)
    summary = f"{settings.output_dir}/data/length_16.summary.json"

    def made_by():
        with open(summary) as file:
            return json.load(file)["settings"]

    assert pretrain_two_phases.main(settings) == 130
    assert made_by()["dupe_factor"] == 1
    made = os.stat(summary).st_mtime_ns
    pretrain_two_phases.main(settings)
    assert os.stat(summary).st_mtime_ns == made
    monkeypatch.setitem(recipes.RECIPES, "tiny", dataclasses.replace(TINY, dupe_factor=2))
    pretrain_two_phases.main(settings)
    assert made_by()["dupe_factor"] == 2


def test_the_commands_can_be_had_alone(settings, capsys):
    pretrain_two_phases.main(dataclasses.replace(settings, print_only=True))
    printed = capsys.readouterr().out
    assert printed.count("python -m tfrecord_tools.create_pretraining_data") == 2
    assert printed.count("python -m bert_keras.run_pretraining") == 2
    assert printed.count("--keep_checkpoint_max=0") == 2
    config = BertConfig.from_json_file(f"{settings.output_dir}/data/bert_config_32.json")
    assert (config.vocab_size, config.max_position_embeddings) == (4000, 32)


def test_several_machines_get_the_commands_but_no_run(settings, monkeypatch, capsys):
    workers = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(workers))
    with pytest.raises(InputError, match="2 workers in TF_CONFIG.*on all machines"):
        pretrain_two_phases.main(settings)
    assert "python -m bert_keras.run_pretraining" in capsys.readouterr().out


def test_an_unknown_recipe_is_named(settings):
    with pytest.raises(InputError, match="--recipe must be one of base, large.*Received: huge"):
        pretrain_two_phases.main(dataclasses.replace(settings, recipe="huge"))
