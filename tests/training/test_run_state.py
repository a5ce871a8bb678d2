"""Checkpoints of a run: complete or not there, whatever happens to the process or the disk."""

import os
import resource

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.training import run_state


@pytest.fixture
def variables():
    return {
        "bert/kernel": keras.Variable(np.arange(60000, dtype=np.float32).reshape(300, 200)),
        "global_step": keras.Variable(7, dtype="int64"),
        "dropout_seed_0": keras.Variable(np.array([1, 2], np.uint32), dtype="uint32"),
    }


def values(variables):
    return {name: variable.numpy().copy() for name, variable in variables.items()}


def save_steps(folder, variables, steps, **kwargs):
    for step in steps:
        run_state.save(str(folder), step, variables, **kwargs)


def test_restores_every_bit(tmp_path, variables):
    before = values(variables)
    save_steps(tmp_path, variables, [7])
    for variable in variables.values():
        variable.assign(keras.ops.zeros_like(variable))
    step, path = run_state.newest_readable(str(tmp_path), pytest.fail)
    run_state.restore(path, variables)
    assert step == 7
    for name, value in values(variables).items():
        np.testing.assert_array_equal(value, before[name])
        assert value.dtype == before[name].dtype


def test_tensorflow_finds_the_newest_checkpoint(tmp_path, variables):
    save_steps(tmp_path, variables, [2, 10])
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-10")
    names = dict(tf.train.list_variables(str(tmp_path)))
    assert names["bert/kernel"] == [300, 200]


def test_keeps_the_newest(tmp_path, variables):
    save_steps(tmp_path, variables, [1, 2, 3, 4], num_to_keep=2)
    assert run_state.saved_steps(str(tmp_path)) == [3, 4]
    data_files = [name for name in os.listdir(tmp_path) if ".data-" in name]
    assert len(data_files) == 2


def test_keeps_all_with_zero(tmp_path, variables):
    save_steps(tmp_path, variables, range(8), num_to_keep=0)
    assert run_state.saved_steps(str(tmp_path)) == list(range(8))


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


def flip_a_bit(path):
    with open(path, "r+b") as file:
        file.seek(100)
        byte = file.read(1)
        file.seek(100)
        file.write(bytes([byte[0] ^ 1]))


@pytest.mark.parametrize("damage", [cut, flip_a_bit, os.remove, lambda path: os.truncate(path, 0)])
@pytest.mark.parametrize("suffix", [".data-00000-of-00001", ".index"])
def test_passes_over_a_torn_checkpoint(tmp_path, variables, damage, suffix):
    save_steps(tmp_path, variables, [1, 2])
    damage(tmp_path / f"model.ckpt-2{suffix}")
    notices = []
    step, _ = run_state.newest_readable(str(tmp_path), notices.append)
    assert step == 1
    if run_state.saved_steps(str(tmp_path)) == [1, 2]:
        assert len(notices) == 1 and "model.ckpt-2 is torn" in notices[0]


def test_a_torn_later_checkpoint_displaces_no_good_one(tmp_path, variables):
    save_steps(tmp_path, variables, [2, 9])
    cut(tmp_path / "model.ckpt-9.data-00000-of-00001")
    save_steps(tmp_path, variables, [4], num_to_keep=1)
    step, _ = run_state.newest_readable(str(tmp_path), lambda line: None)
    assert step == 4
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-4")


def test_a_torn_older_checkpoint_is_removed_like_a_whole_one(tmp_path, variables):
    save_steps(tmp_path, variables, [1, 2])
    os.remove(tmp_path / "model.ckpt-1.data-00000-of-00001")
    save_steps(tmp_path, variables, [3], num_to_keep=1)
    assert run_state.saved_steps(str(tmp_path)) == [3]


def test_a_run_without_a_readable_checkpoint_says_that_it_begins_anew(tmp_path, variables):
    save_steps(tmp_path, variables, [1])
    cut(tmp_path / "model.ckpt-1.index")
    notices = []
    assert run_state.newest_readable(str(tmp_path), notices.append) is None
    assert "begins at step 0" in notices[-1]


@pytest.mark.parametrize("name", ["run[1]", "run\\x"])
def test_a_folder_that_the_reader_takes_for_a_pattern_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="must not hold"):
        run_state.newest_readable(str(tmp_path / name), pytest.fail)


def test_an_empty_folder_has_none(tmp_path):
    assert run_state.newest_readable(str(tmp_path), pytest.fail) is None
    assert run_state.newest_readable(str(tmp_path / "missing"), pytest.fail) is None


@pytest.fixture
def largest_file():
    """Sets the size beyond which the system refuses to write a file, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path, variables, largest_file):
    save_steps(tmp_path, variables, [1, 2], num_to_keep=2)
    before = sorted(os.listdir(tmp_path))
    largest_file(100_000)
    with pytest.raises(InputError, match="step 3 could not be written .* older checkpoints"):
        run_state.save(str(tmp_path), 3, variables, num_to_keep=2)
    assert sorted(os.listdir(tmp_path)) == before
    assert run_state.newest_readable(str(tmp_path), pytest.fail)[0] == 2


def test_removes_what_a_killed_process_left(tmp_path, variables):
    save_steps(tmp_path, variables, [1])
    before = sorted(os.listdir(tmp_path))
    for name in (
        "model.ckpt-2.unfinished.data-00000-of-00001",
        "model.ckpt-3.data-00000-of-00001",
        "checkpoint.unfinished",
    ):
        (tmp_path / name).write_bytes(b"half")
    run_state.remove_unfinished(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == before


def test_removes_nothing_of_others(tmp_path):
    for name in ("model.ckpt-20.data-00000-of-00002", "notes.unfinished.txt", "x.ckpt.index"):
        (tmp_path / name).write_bytes(b"theirs")
    (tmp_path / ".x.unfinished").mkdir()
    before = sorted(os.listdir(tmp_path))
    run_state.remove_unfinished(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == before


def test_a_checkpoint_of_another_program_is_refused(tmp_path, variables):
    del variables["dropout_seed_0"]
    save_steps(tmp_path, variables, [1])
    wanted = variables | {"dropout_seed_0": keras.Variable([0, 0])}
    with pytest.raises(InputError, match="lacks 1 of the 3 variables, the first is dropout_seed_0"):
        run_state.restore(str(tmp_path / "model.ckpt-1"), wanted)


def test_a_checkpoint_of_another_shape_is_refused(tmp_path, variables):
    save_steps(tmp_path, variables, [1])
    with pytest.raises(InputError, match=r"bert/kernel is \(300, 200\) .* \(3, 2\) in the model"):
        run_state.restore(
            str(tmp_path / "model.ckpt-1"), {"bert/kernel": keras.Variable(np.zeros((3, 2)))}
        )
