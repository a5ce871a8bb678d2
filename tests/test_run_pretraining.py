"""The program: real processes, real signals, and runs that end and begin again."""

import dataclasses
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import tensorflow as tf

from bert_keras import from_pretrained
from bert_keras.errors import InputError
from bert_keras.run_pretraining import Settings, main
from bert_keras.training import pretraining, run_state
from bert_keras.training.stop import StopRequest

NUM_RECORDS = 50
MAX_SEQ_LENGTH = 16
MAX_PREDICTIONS_PER_SEQ = 4
CONFIG = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 20,
}
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with records, a configuration and a vocabulary."""
    folder = tmp_path_factory.mktemp("inputs")
    write_records(folder / "records.tfrecord", NUM_RECORDS)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    words = [chr(ord("a") + index) for index in range(25)]
    (folder / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS + words) + "\n")
    return folder


def write_records(path, num_records, largest_id=29):
    rng = np.random.default_rng(0)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(num_records):
            length = rng.integers(8, MAX_SEQ_LENGTH + 1)
            num_predictions = rng.integers(1, MAX_PREDICTIONS_PER_SEQ + 1)
            positions = np.sort(rng.choice(length, num_predictions, replace=False))
            ids = rng.integers(5, largest_id + 1, length)
            integers = {
                "input_ids": padded(ids, MAX_SEQ_LENGTH),
                "input_mask": padded(np.ones(length), MAX_SEQ_LENGTH),
                "segment_ids": padded(np.arange(length) >= length // 2, MAX_SEQ_LENGTH),
                "masked_lm_positions": padded(positions, MAX_PREDICTIONS_PER_SEQ),
                "masked_lm_ids": padded(ids[positions], MAX_PREDICTIONS_PER_SEQ),
                "next_sentence_labels": [rng.integers(2)],
            }
            features = {
                name: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
                for name, values in integers.items()
            }
            weights = padded(np.ones(num_predictions), MAX_PREDICTIONS_PER_SEQ)
            features["masked_lm_weights"] = tf.train.Feature(
                float_list=tf.train.FloatList(value=weights)
            )
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


def padded(values, length):
    return [int(value) for value in values] + [0] * (length - len(values))


@pytest.fixture
def settings(inputs, tmp_path):
    return settings_for(inputs, tmp_path / "run")


def settings_for(inputs, folder):
    return Settings(
        input_file=[str(inputs / "records.tfrecord")],
        output_dir=str(folder),
        bert_config_file=str(inputs / "config.json"),
        max_seq_length=MAX_SEQ_LENGTH,
        max_predictions_per_seq=MAX_PREDICTIONS_PER_SEQ,
        do_train=True,
        train_batch_size=8,
        learning_rate=1e-2,
        num_train_steps=8,
        num_warmup_steps=2,
        save_checkpoints_steps=2,
        report_steps=3,
    )


@pytest.fixture(scope="module")
def at_once(inputs, tmp_path_factory):
    """The folder of a run that nothing interrupted: 8 steps."""
    folder = tmp_path_factory.mktemp("runs") / "at_once"
    run(settings_for(inputs, folder))
    return str(folder)


@pytest.fixture
def finished(settings, at_once):
    """Settings whose folder holds a copy of the run of 8 steps."""
    shutil.copytree(at_once, settings.output_dir)
    return settings


def run(settings, **changes):
    settings = dataclasses.replace(settings, **changes)
    return pretraining.run(settings, StopRequest())


def command(settings, **changes):
    """The command line of the settings."""
    words = [sys.executable, "-m", "bert_keras.run_pretraining"]
    for name, value in (dataclasses.asdict(settings) | changes).items():
        if isinstance(value, list):
            value = ",".join(value)
        if value is not None:
            words.append(f"--{name}={value}")
    return words


def execute(settings, *, environment=None, before=None, **changes):
    """Runs the program in a process of its own to its end."""
    return subprocess.run(
        command(settings, **changes),
        env=os.environ | (environment or {}),
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=120,
    )


def saved(settings, step, folder=None):
    """Every tensor of a checkpoint."""
    reader = tf.train.load_checkpoint(
        run_state.checkpoint_path(folder or settings.output_dir, step)
    )
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def assert_identical(tensors, expected):
    assert tensors.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(tensors[name], value, err_msg=name)


def wait_for(condition, process, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.0005)


# --- what a run leaves ---


def test_a_run_trains_evaluates_and_leaves_a_model(settings, inputs, capsys):
    results = run(settings, do_eval=True, vocab_file=str(inputs / "vocab.txt"))
    folder = settings.output_dir
    assert saved(settings, 8)["global_step"] == 8
    assert run_state.saved_steps(folder) == [2, 4, 6, 8]
    with open(f"{folder}/eval_results.txt") as file:
        lines = file.read()
    assert lines in capsys.readouterr().out
    assert re.findall(r"^(\w+) = \S+$", lines, flags=re.MULTILINE) == [
        "global_step",
        "loss",
        "masked_lm_accuracy",
        "masked_lm_loss",
        "next_sentence_accuracy",
        "next_sentence_loss",
    ]
    assert results["loss"] == results["masked_lm_loss"] + results["next_sentence_loss"]
    encoder, tokenizer = from_pretrained(folder)
    np.testing.assert_array_equal(
        encoder.get_layer("pooler").get_weights()[0],
        saved(settings, 8)["bert/pooler/dense/kernel"],
    )
    assert tokenizer.vocab_size == 30
    with open(f"{folder}/README.md") as file:
        readme = file.read()
    assert "--num_train_steps=8" in readme and f"loss = {results['loss']:.7g}" in readme


def test_the_first_step_has_rate_zero_and_reports_tell_the_rate_of_their_step(settings):
    run(settings, report_steps=1)
    with open(f"{settings.output_dir}/train_log.jsonl") as file:
        rates = [json.loads(line)["learning_rate"] for line in file]
    expected = [0, 0.005] + [0.01 * (1 - step / 8) for step in range(2, 8)]
    np.testing.assert_allclose(rates, expected, rtol=1e-6)


def test_evaluation_does_not_depend_on_the_batch_size(settings):
    run(settings, num_train_steps=2)
    one, other = (
        run(settings, do_train=False, do_eval=True, eval_batch_size=size, max_eval_steps=0)
        for size in (7, 50)
    )
    for name, value in one.items():
        assert other[name] == pytest.approx(value, rel=1e-6), name


# --- runs that go on ---


def test_a_run_in_pieces_equals_a_run_at_once(settings, at_once):
    with pytest.MonkeyPatch.context() as patch:
        save = run_state.save

        def save_and_die(folder, step, **kwargs):
            save(folder, step, **kwargs)
            if step == 4:
                raise OSError("the power went out")

        patch.setattr(run_state, "save", save_and_die)
        with pytest.raises(OSError, match="power"):
            run(settings)
    run(settings)
    assert_identical(saved(settings, 8), saved(settings, 8, at_once))
    steps = {}
    for folder in (settings.output_dir, at_once):
        with open(f"{folder}/train_log.jsonl") as file:
            reports = [json.loads(line) for line in file]
        steps[folder] = [(report["step"], report["loss"]) for report in reports]
    assert steps[settings.output_dir] == steps[at_once]


def test_kill_at_any_moment_and_go_on(settings, tmp_path):
    kill_and_go_on(settings, tmp_path, num_kills=2)


@pytest.mark.slow
def test_kill_at_many_moments_and_go_on(settings, tmp_path):
    kill_and_go_on(settings, tmp_path, num_kills=12)


def kill_and_go_on(settings, tmp_path, num_kills):
    """Kills a process in a save and at random moments; the last one ends as if nothing were."""
    settings = dataclasses.replace(settings, num_train_steps=60, save_checkpoints_steps=1)
    at_once = str(tmp_path / "at_once")
    run(settings, output_dir=at_once)
    moment = random.Random(1)
    for kill in range(num_kills):
        process = subprocess.Popen(
            command(settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if kill % 2:
            first = len(os.listdir(settings.output_dir))
            wait_for(lambda: len(os.listdir(settings.output_dir)) != first, process)  # noqa: B023
            time.sleep(moment.uniform(0, 0.5))
        else:
            wait_for(lambda: is_saving(settings.output_dir), process)
        process.kill()
        process.communicate()
    result = execute(settings)
    assert result.returncode == 0, result.stderr
    assert_identical(saved(settings, 60), saved(settings, 60, at_once))


def is_saving(folder):
    """Whether a checkpoint is half written at this moment."""
    return os.path.isdir(folder) and any(
        name.startswith("model.ckpt-") and "unfinished" in name for name in os.listdir(folder)
    )


def test_a_torn_checkpoint_is_passed_over_with_a_notice(finished, at_once, capsys):
    data_file = run_state.checkpoint_path(finished.output_dir, 8) + ".data-00000-of-00001"
    os.truncate(data_file, os.path.getsize(data_file) // 2)
    run(finished)
    shown = capsys.readouterr().err
    assert "model.ckpt-8 is torn" in shown and "continuing from" in shown
    assert_identical(saved(finished, 8), saved(finished, 8, at_once))


def test_a_full_disk_ends_the_run_and_loses_no_checkpoint(finished):
    largest_file = 10_000
    assert os.path.getsize(f"{finished.output_dir}/model.ckpt-8.data-00000-of-00001") > largest_file
    result = execute(
        finished,
        num_train_steps=20,
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file)),
    )
    assert result.returncode == 1
    assert "error: The checkpoint of step 10 could not be written" in result.stderr
    assert "Traceback" not in result.stderr
    assert run_state.saved_steps(finished.output_dir) == [2, 4, 6, 8]
    assert run_state.newest_readable(finished.output_dir, pytest.fail)[0] == 8


def test_sigterm_saves_and_exits_with_success(settings):
    process = subprocess.Popen(
        command(settings, num_train_steps=10**6, save_checkpoints_steps=10**6, report_steps=1),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: os.path.isfile(f"{settings.output_dir}/train_log.jsonl"), process)
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    stopped = next(line for line in process.stderr if line.startswith("Stopped"))
    assert time.monotonic() - begin < 10
    process.communicate(timeout=60)
    assert process.returncode == 0
    step, _ = run_state.newest_readable(settings.output_dir, pytest.fail)
    assert f"Stopped by SIGTERM at step {step} of 1000000" in stopped


def test_a_finished_run_says_so(finished, at_once, capsys):
    run(finished)
    assert "is finished: all 8 steps are done" in capsys.readouterr().err
    assert_identical(saved(finished, 8), saved(finished, 8, at_once))


def test_more_steps_go_on_with_a_notice(finished, capsys):
    run(finished, num_train_steps=10)
    assert "begun with --num_train_steps=8" in capsys.readouterr().err
    assert saved(finished, 10)["global_step"] == 10


# --- commands that cannot work ---


def test_a_command_that_the_folder_has_passed_is_refused(finished):
    last = run_state.checkpoint_path(finished.output_dir, 8)
    with pytest.raises(InputError, match="already at 8 >= 4 .* new --output_dir"):
        run(finished, num_train_steps=4, init_checkpoint=last)


def test_a_new_folder_begins_at_step_zero_with_the_weights_of_an_old_one(settings, at_once):
    run(
        settings,
        init_checkpoint=run_state.checkpoint_path(at_once, 8),
        num_train_steps=4,
        save_checkpoints_steps=1,
        report_steps=1,
    )
    first, old = saved(settings, 1), saved(settings, 8, at_once)
    assert first["global_step"] == 1
    kernel = "bert/pooler/dense/kernel"
    np.testing.assert_array_equal(first[kernel], old[kernel])  # the rate of its first step is 0
    moment = f"{kernel}/adam_v"
    assert np.abs(first[moment]).max() < np.abs(old[moment]).max()
    assert run_state.saved_steps(settings.output_dir) == [1, 2, 3, 4]


def test_a_run_is_not_continued_with_other_settings(finished):
    with pytest.raises(InputError, match="--train_batch_size: 8 -> 4; .*--random_seed: 12345 -> 1"):
        run(finished, num_train_steps=20, train_batch_size=4, random_seed=1)


def test_a_loss_that_is_not_finite_stops_the_run(settings):
    with pytest.raises(InputError, match="at step 2 .* is nan"):
        run(settings, learning_rate=1e38, num_warmup_steps=0, save_checkpoints_steps=1)
    step, _ = run_state.newest_readable(settings.output_dir, pytest.fail)
    assert np.isfinite(saved(settings, step)["bert/pooler/dense/kernel"]).all()


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"do_train": False}, "At least one of `do_train` or `do_eval` must be True"),
        ({"bert_config_file": None}, "--bert_config_file must be given"),
        ({"bert_config_file": "missing.json"}, "missing.json"),
        ({"output_dir": None}, "--output_dir must be given"),
        ({"input_file": []}, "--input_file must be given"),
        ({"input_file": ["nowhere/*.tfrecord"]}, "nowhere"),
        ({"train_batch_size": 0}, "--train_batch_size must be at least 1. Received: 0"),
        ({"learning_rate": -1.0}, "--learning_rate must be positive"),
        ({"max_seq_length": 21}, "--max_seq_length=21 .* max_position_embeddings=20"),
        ({"max_seq_length": 12}, "12"),
        ({"max_predictions_per_seq": 3}, "3"),
        ({"do_train": False, "do_eval": True}, "nothing to evaluate"),
        ({"tpu": "node"}, "'node' cannot be used: .* has no TPU support; .* pip install"),
        ({"use_tpu": True, "tpu_name": "old"}, "'old' cannot be used"),
    ],
)
def test_settings_that_cannot_work(settings, changes, message):
    with pytest.raises(InputError, match=message):
        run(settings, **changes)


def test_an_output_folder_that_is_a_file(settings, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/run"):
        with pytest.raises(InputError, match="--output_dir must be a folder"):
            run(settings, output_dir=str(tmp_path / folder))


def test_records_of_another_vocabulary(settings, tmp_path):
    write_records(tmp_path / "large.tfrecord", 2, largest_id=40)
    with pytest.raises(InputError, match="less than vocab_size=30 .* of the first record"):
        run(settings, input_file=[str(tmp_path / "large.tfrecord")])


def test_a_vocabulary_of_another_size(settings, tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS) + "\n")
    with pytest.raises(InputError, match="vocab_size=30 .* with 5 entries"):
        run(settings, vocab_file=str(tmp_path / "vocab.txt"))


@pytest.mark.parametrize(
    "environment, message",
    [
        ({"KERAS_BACKEND": "jax"}, "KERAS_BACKEND"),
        ({"TF_USE_LEGACY_KERAS": "1"}, "TF_USE_LEGACY_KERAS"),
    ],
)
def test_another_keras_is_one_clear_error(settings, environment, message):
    result = execute(settings, environment=environment)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_originals_command_line(settings):
    """Old flags are taken, and one that no longer does anything says so."""
    words = command(settings, num_train_steps=1, do_train=True)
    words += ["--iterations_per_loop=1000", "--num_tpu_cores=8"]
    result = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "--iterations_per_loop has no effect" in result.stderr
    assert os.path.isfile(f"{settings.output_dir}/model.ckpt-1.index")


def test_main_returns_success(settings):
    assert main(dataclasses.replace(settings, num_train_steps=1)) == 0
