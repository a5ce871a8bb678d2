"""Names of output files."""

import os

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.outputs import (
    check_output_files,
    shard_names,
    split_output_files,
    summary_name,
)


def test_commas_separate_but_not_within_the_path_of_a_folder(tmp_path):
    folder = tmp_path / "a, b,c"
    folder.mkdir()
    words = f"{tmp_path}/x y,{folder}/one, two,{folder}/three".split(",")
    assert split_output_files(words) == [
        f"{tmp_path}/x y",
        f"{folder}/one",
        "two",
        f"{folder}/three",
    ]
    assert split_output_files(["a", "b/c"]) == ["a", "b/c"]


def test_outputs_are_files_of_their_own(tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("text")
    (tmp_path / "link").symlink_to(corpus)
    other = str(tmp_path / "other")
    check_output_files([other], [str(corpus)])
    for path in (corpus, tmp_path / "link", tmp_path / "x" / ".." / "corpus.txt"):
        with pytest.raises(InputError, match="file of its own"):
            check_output_files([str(path)], [str(corpus)])
    with pytest.raises(InputError, match="file of its own"):
        check_output_files([other, other], [str(corpus)])
    (tmp_path / "null").symlink_to(os.devnull)
    for path in (os.devnull, str(tmp_path / "null")):
        with pytest.raises(InputError, match="is a device or a pipe"):
            check_output_files([path], [])
    for path in (str(tmp_path), f"{other}/", ""):
        with pytest.raises(InputError, match="named as files"):
            check_output_files([path], [str(corpus)])


def test_shards_of_one_name_are_numbered():
    assert shard_names(["a/o.tfrecord"], 2) == [
        "a/o.tfrecord-00000-of-00002",
        "a/o.tfrecord-00001-of-00002",
    ]
    assert shard_names(["o"], 1) == shard_names(["o"], None) == ["o"]
    assert shard_names(["o", "p"], 2) == shard_names(["o,p"], None) == ["o", "p"]
    with pytest.raises(InputError, match="3 shards and 2 names"):
        shard_names(["o", "p"], 3)


def test_the_summary_stands_beside_the_first_file():
    assert summary_name(["a/o.tfrecord", "b/p"]) == "a/o.summary.json"
    assert summary_name(["a/o"]) == "a/o.summary.json"
