"""Shards that are missing or mixed, and files that come twice."""

import os

import pytest

from bert_keras.data.shard_sets import check_shards, duplicate_notices
from bert_keras.errors import InputError


def write(folder, names, size=0):
    """Files that differ, of one size; returns their paths."""
    for number, name in enumerate(names):
        (folder / name).write_bytes(number.to_bytes(4, "big") + bytes(size))
    return [str(folder / name) for name in names]


def shards(total, numbers=None, name="train.tfrecord", suffix=""):
    numbers = range(total) if numbers is None else numbers
    return [f"{name}-{number:05}-of-{total:05}{suffix}" for number in numbers]


def test_sets_that_are_complete(tmp_path):
    files = [*shards(3), *shards(4, suffix=".gz"), *shards(2, name="other"), "a", "b-00001-of-2"]
    assert check_shards(files) == []
    assert check_shards(write(tmp_path, shards(3))) == []


def test_a_shard_that_is_lost(tmp_path):
    files = write(tmp_path, shards(10, [0, 1, 2, 4, 5, 6, 7, 9]))
    with pytest.raises(InputError, match="2 of the 10 of .*train.tfrecord-.-of-00010 are not: .*"):
        check_shards(files)
    with pytest.raises(InputError, match=r"-00003-of-00010, \S+-00008-of-00010\. Copy them"):
        check_shards(files)


def test_many_shards_that_are_lost_are_counted(tmp_path):
    with pytest.raises(InputError, match="99 of the 100 .*-00003-of-00100 and 96 others. Copy"):
        check_shards(write(tmp_path, shards(100, [0])))


def test_shards_that_are_held_out(tmp_path):
    files = write(tmp_path, shards(10, suffix=".gz"))
    [notice] = check_shards(files[:9])
    assert notice.startswith("1 of the 10 shards of ") and files[9] in notice


def test_two_builds_of_one_name(tmp_path):
    files = write(tmp_path, [*shards(2), *shards(3)])
    with pytest.raises(InputError, match="-of-00002 and .* of two builds. .*='.*-.-of-00003'"):
        check_shards(files)


def test_shards_of_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, shards(2))
    assert len(check_shards(shards(2, [0]))) == 1


def test_files_that_are_named_twice(tmp_path, monkeypatch):
    first, second = write(tmp_path, ["first", "second"])
    monkeypatch.chdir(tmp_path)
    os.symlink(first, "link")
    assert duplicate_notices([first, second]) == []
    for same in (first, "first", "link"):
        [notice] = duplicate_notices([first, second, same])
        assert notice == f"Named more than once, so its records count as often: {first}."


@pytest.mark.parametrize("size", [10, 10_000, 1_000_000])
def test_a_copy_under_another_name(tmp_path, size):
    """Files of one size are compared at both ends."""
    first, second, copy = write(tmp_path, ["first", "second", "copy"], size)
    assert duplicate_notices([first, second, copy]) == []
    with open(first, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    [notice] = duplicate_notices([first, second, copy])
    assert notice == f"The same records under several names count as often: {first}, {copy}."
    with open(copy, "r+b") as target:
        target.seek(-1, os.SEEK_END)
        target.write(b"x")
    assert duplicate_notices([first, second, copy]) == []


def test_empty_shards_are_no_copies(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"")
    assert duplicate_notices([str(tmp_path / "a"), str(tmp_path / "b")]) == []
