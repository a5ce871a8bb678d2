"""Checks before a run: each names what cannot work, or is likely not wanted."""

import shutil
from collections import namedtuple

import pytest

from bert_keras.errors import InputError
from bert_keras.training import preflight


def test_batches_that_can_be_shared():
    preflight.check_batch_size(7, num_replicas=1)
    preflight.check_batch_size(24, num_replicas=3, num_micro_batches=4)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((30, 4, 1, "eval_batch_size"), "--eval_batch_size must be a multiple of 4 replicas. Rec"),
        ((30, 4, 1), "--train_batch_size must be .* Received: 30; 28 and 32 work"),
        ((3, 4, 1), "a multiple of 4 replicas. Received: 3; 4 is the least that works"),
        ((32, 3, 4), r"3 replicas x 4 micro-batches \(.*\) = 12. Received: 32; 24 and 36 work"),
        ((32, 1, 5), r"a multiple of 5 micro-batches \(--gradient_accumulation_steps\)\. Rec"),
    ],
)
def test_batches_that_cannot_be_shared(sizes, message):
    with pytest.raises(InputError, match=message):
        preflight.check_batch_size(*sizes)


@pytest.mark.parametrize(
    ("steps", "save", "keep", "every", "expected"),
    [
        (1000, 100, 5, 0, 6),  # five, and the one that is being written
        (1000, 100, 0, 0, 10),
        (250, 100, 0, 0, 3),  # the last step is saved too
        (200, 100, 5, 0, 2),
        (1000, 100, 3, 500, 6),
    ],
)
def test_checkpoints_at_once(steps, save, keep, every, expected):
    assert preflight.num_checkpoints_at_once(steps, save, keep, every) == expected


@pytest.fixture
def disk(monkeypatch):
    """Sets how many bytes are free; the folders that were asked for are returned."""
    asked = []

    def set_free(free):
        def disk_usage(folder):
            asked.append(folder)
            return namedtuple("Usage", "free")(free)

        monkeypatch.setattr(shutil, "disk_usage", disk_usage)
        return asked

    return set_free


def test_a_disk_with_room(disk, tmp_path):
    asked = disk(free=6000)
    assert preflight.check_disk(str(tmp_path / "new" / "run"), 1000, 6) == []
    assert asked == [str(tmp_path)]  # the nearest folder that exists


def test_a_disk_without_room_for_all(disk, tmp_path):
    disk(free=5_999_000_000)
    [notice] = preflight.check_disk(str(tmp_path), 1_000_000_000, 6)
    assert "room for 5 of the 6 checkpoints of 1 GB that the run holds at once (6 GB" in notice


@pytest.mark.parametrize(
    ("num_checkpoints", "free", "least"),
    [(6, 1999, "2 checkpoints"), (2, 1999, "2 checkpoints"), (1, 999, "1 checkpoint")],
)
def test_a_disk_without_room(disk, tmp_path, num_checkpoints, free, least):
    disk(free)
    with pytest.raises(InputError, match=f"room for {least} of 1 kB. Received: .* free"):
        preflight.check_disk(str(tmp_path), 1000, num_checkpoints)


def test_checkpoints_that_are_there_need_no_more_room(disk, tmp_path):
    for step in range(5):
        (tmp_path / f"model.ckpt-{step}.index").write_text("")
    disk(free=1000)
    assert preflight.check_disk(str(tmp_path), 1000, 6) == []


def test_folders_elsewhere_are_not_asked(disk):
    asked = disk(free=0)
    assert preflight.check_disk("gs://bucket/run", 1000, 6) == [] == asked


def test_the_disk_of_this_machine(tmp_path):
    assert preflight.check_disk(str(tmp_path), 1, 2) == []
    with pytest.raises(InputError, match="must have room for 2 checkpoints of 1 ZB"):
        preflight.check_disk(str(tmp_path), 10**21, 2)
