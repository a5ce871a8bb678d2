"""A run in a folder: how it ends, and how it begins again. With a model that is quick to build."""

import functools
import json
import os
import resource
import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.pretrained import load_noticed
from bert_keras.errors import InputError
from bert_keras.objectives.loss import Loss
from bert_keras.objectives.mean import Mean
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.schedules import WarmupPolynomialDecay
from bert_keras.training import run_folder, run_state
from bert_keras.training.loop_settings import LoopSettings
from bert_keras.training.session import Session, Training
from bert_keras.training.stop import StopRequest

NUM_EXAMPLES, BATCH_SIZE = 30, 5
KERNEL = "bert/pooler/kernel"


def examples():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(NUM_EXAMPLES, 40)).astype(np.float32)
    examples = {"x": x, "y": x[:, :1], "weight": np.ones([NUM_EXAMPLES, 1], np.float32)}
    return tf.data.Dataset.from_tensor_slices(examples).batch(BATCH_SIZE)


def squared_error(outputs, features):
    errors = tf.square(outputs - features["y"]) * features["weight"]
    return {"squared_error": Mean(tf.reduce_sum(errors), num_examples(features))}


def num_examples(features):
    return tf.reduce_sum(features["weight"])


def session(folder, **changes):
    """A session of a new model."""
    keras.utils.set_random_seed(1)
    inputs = keras.Input((40,), name="x")
    hidden = keras.layers.Dropout(0.5)(inputs)
    folder.mkdir(exist_ok=True)
    values = {
        "folder": str(folder),
        "strategy": tf.distribute.get_strategy(),
        "model": keras.Model({"x": inputs}, keras.layers.Dense(60, name="pooler")(hidden)),
        "objective": squared_error,
        "losses": {"squared_error": Loss(num_examples)},
        "accuracies": (),
        "initialize": None,
        "stop": StopRequest(),
        "check_data": lambda: None,
    }
    return Session(**values | changes)


def training(rate=1e-2, num_train_steps=8, dataset=None, decisive=(), **loop):
    return Training(
        schedule=WarmupPolynomialDecay(rate, num_train_steps, 2),
        make_optimizer=AdamWeightDecay,
        dataset=dataset or (lambda start_step, **worker: examples().repeat().skip(start_step)),
        batch_size=BATCH_SIZE,
        length=1,
        num_train_steps=num_train_steps,
        loop=LoopSettings(**{"save_checkpoints_steps": 2, "report_steps": 3} | loop),
        decisive={"learning_rate": rate, "num_train_steps": num_train_steps} | dict(decisive),
    )


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    """The folder of a run that nothing interrupted: 8 steps."""
    folder = tmp_path_factory.mktemp("runs") / "at_once"
    assert session(folder).train(training()) == 8
    return folder


@pytest.fixture
def finished(at_once, tmp_path):
    """A copy of that folder."""
    return shutil.copytree(at_once, tmp_path / "run")


def saved(folder, step):
    """Every tensor of a checkpoint."""
    reader = tf.train.load_checkpoint(run_state.checkpoint_path(str(folder), step))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def assert_identical(tensors, expected):
    assert tensors.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(tensors[name], value, err_msg=name)


def reports(folder):
    lines = (folder / "train_log.jsonl").read_text().splitlines()
    return [(report["step"], report["loss"]) for report in map(json.loads, lines)]


def test_a_checkpoint_holds_all_that_the_future_depends_on(at_once):
    names = {"global_step", "dropout_seed_0"}
    for weight in (KERNEL, "bert/pooler/bias"):
        names |= {weight, f"{weight}/adam_m", f"{weight}/adam_v"}
    assert saved(at_once, 8).keys() == names
    assert run_state.saved_steps(str(at_once)) == [2, 4, 6, 8]


def test_a_run_in_pieces_equals_a_run_at_once(tmp_path, at_once, monkeypatch):
    save = run_state.save

    def save_and_die(folder, step, **kwargs):
        save(folder, step, **kwargs)
        if step == 4:
            raise OSError("the power went out")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="power"):
        patch.setattr(run_state, "save", save_and_die)
        session(tmp_path / "run").train(training())
    session(tmp_path / "run").train(training())
    assert_identical(saved(tmp_path / "run", 8), saved(at_once, 8))
    assert reports(tmp_path / "run") == reports(at_once)


def test_a_torn_checkpoint_is_passed_over_with_a_notice(finished, at_once, capsys):
    data_file = finished / "model.ckpt-8.data-00000-of-00001"
    os.truncate(data_file, data_file.stat().st_size // 2)
    session(finished).train(training())
    shown = capsys.readouterr().err
    assert "model.ckpt-8 is torn" in shown and "continuing from" in shown
    assert_identical(saved(finished, 8), saved(at_once, 8))


def test_a_full_disk_ends_the_run_and_loses_no_checkpoint(finished):
    size = (finished / "model.ckpt-8.data-00000-of-00001").stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, limits[1]))
    try:
        with pytest.raises(InputError, match="The checkpoint of step 10 could not be written"):
            session(finished).train(training(num_train_steps=20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert run_state.saved_steps(str(finished)) == [2, 4, 6, 8]
    assert run_state.newest_readable(str(finished), pytest.fail)[0] == 8


def test_a_finished_run_says_so(finished, at_once, capsys):
    assert session(finished).train(training()) == 8
    assert "is finished: all 8 steps are done" in capsys.readouterr().err
    assert_identical(saved(finished, 8), saved(at_once, 8))


def test_a_stop_before_the_first_step_saves_nothing_and_says_so(tmp_path, capsys):
    stop = StopRequest()
    stop.request("SIGTERM")
    assert session(tmp_path / "run", stop=stop).train(training()) == 0
    assert "before the first step in" in capsys.readouterr().err
    assert run_state.saved_steps(str(tmp_path / "run")) == []


def test_more_steps_go_on_with_a_notice(finished, capsys):
    assert session(finished).train(training(num_train_steps=10)) == 10
    assert "begun with 8 steps as its end" in capsys.readouterr().err
    assert saved(finished, 10)["global_step"] == 10


def test_a_command_that_the_folder_has_passed_is_refused(finished):
    with pytest.raises(InputError, match="already at 8 >= 4 .* new --output_dir"):
        session(finished).train(training(num_train_steps=4))


def test_a_run_is_not_continued_with_other_settings(finished):
    with pytest.raises(InputError, match="--learning_rate: 0.01 -> 0.1; .*--seed: None -> 1"):
        session(finished).train(training(rate=0.1, num_train_steps=20, decisive={"seed": 1}))


def test_a_new_folder_begins_at_step_zero_with_the_weights_of_an_old_one(tmp_path, at_once):
    init_checkpoint = run_state.checkpoint_path(str(at_once), 8)
    plan = training(num_train_steps=1, save_checkpoints_steps=1)
    initialize = functools.partial(load_noticed, checkpoint=init_checkpoint)
    session(tmp_path / "run", initialize=initialize).train(plan)
    first, old = saved(tmp_path / "run", 1), saved(at_once, 8)
    assert first["global_step"] == 1
    np.testing.assert_array_equal(first[KERNEL], old[KERNEL])  # the rate of its first step is 0
    assert np.abs(first[f"{KERNEL}/adam_v"]).max() < np.abs(old[f"{KERNEL}/adam_v"]).max()


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path):
    plan = training(rate=1e38, save_checkpoints_steps=1)
    with pytest.raises(InputError, match="at step 3 "):
        session(tmp_path / "run").train(plan)
    step, _ = run_state.newest_readable(str(tmp_path / "run"), pytest.fail)
    assert np.isfinite(saved(tmp_path / "run", step)[KERNEL]).all()


def test_evaluation_without_weights_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing to evaluate"):
        session(tmp_path / "run").load()


def test_evaluation_does_not_depend_on_the_batch_size(finished):
    one = session(finished)
    step = one.load()

    def results_of(size):
        return one.evaluate(lambda **worker: examples().unbatch().batch(size), size, step)

    results = [results_of(size) for size in (7, 30)]
    assert results[0] == pytest.approx(results[1], rel=1e-6)
    assert results[0]["global_step"] == 8


def test_a_damaged_record_in_mid_training_is_looked_for(tmp_path):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(40):
            writer.write(bytes(160))
    with open(path, "r+b") as file:
        file.seek(30 * 176 + 50)
        file.write(b"x")

    def dataset(start_step, **worker):
        records = tf.data.TFRecordDataset(str(path)).batch(BATCH_SIZE)
        decoded = records.map(lambda batch: tf.io.decode_raw(batch, tf.float32))
        return decoded.map(lambda x: {"x": x, "y": x[:, :1], "weight": tf.ones_like(x[:, :1])})

    def check_data():
        raise InputError("records is damaged")

    with pytest.raises(InputError, match="records is damaged"):
        session(tmp_path / "run", check_data=check_data).train(training(dataset=dataset))
    assert run_state.saved_steps(str(tmp_path / "run")) == [2, 4, 6]


def test_one_training_at_a_time_in_a_folder(tmp_path):
    folder, message = str(tmp_path), "another one is at work"
    with run_folder.lock(folder), pytest.raises(InputError, match=message), run_folder.lock(folder):
        pass
    with run_folder.lock(folder):
        pass
