"""The names and sizes of the files of a set."""

import pytest

from tests.tfrecord_tools.audit.hand_made import audited, masked, write
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.audit.shards import check_shard_names


def problems_of(*files):
    problems = Problems()
    check_shard_names(files, problems)
    return [(problem.rule.split()[0], problem.examples[0]) for problem in problems]


@pytest.mark.parametrize(
    "files",
    [
        ["a.tfrecord", "b.tfrecord"],
        ["o.tfrecord-00000-of-00001"],
        ["o.tfrecord-00001-of-00002", "o.tfrecord-00000-of-00002"],
        ["o-00000-of-00001.tfrecord", "p-00000-of-00001.tfrecord"],
        ["train-00000-of-00001", "part-of-2"],
    ],
)
def test_whole_sets(files):
    assert problems_of(*files) == []


@pytest.mark.parametrize(
    ("files", "rule", "named"),
    [
        (["o-00000-of-00003", "o-00002-of-00003"], "of", ": 00001"),
        (["o-00000-of-00002.gz", "o-00001-of-00002.gz", "o-00002-of-00002.gz"], "of", ": 00002"),
        (["o-00000-of-00002", "o-00001-of-00002", "o-00000-of-00001"], "the", "1 of 1, 2 of 2"),
        (["a", "b", "a"], "every", "a is named 2 times"),
    ],
)
def test_sets_that_are_not_whole(files, rule, named):
    ((first_word, example),) = problems_of(*files)
    assert first_word == rule
    assert named in example


def test_the_names_of_a_hundred_thousand_files_are_soon_checked():
    files = [f"o-{index:05d}-of-99999" for index in range(99_999)]
    assert problems_of(*files, files[7]) == [("every", f"{files[7]} is named 2 times")]


def test_many_missing_shards_are_not_all_listed():
    ((_, example),) = problems_of("o-00000-of-01000")
    assert example.endswith("00001, 00002, 00003, 00004, 00005 and 994 more")


def test_a_missing_shard_is_a_broken_rule_of_the_audit(tmp_path):
    path = write(tmp_path / "o.tfrecord-00000-of-00002", [masked()])
    report = audited(tmp_path, path)
    assert report.status == 1
    assert "00001" in report.problems[0].examples[0]


@pytest.mark.parametrize(("sizes", "is_finding"), [((20, 21), False), ((20, 22), True)])
def test_unequal_shards_are_a_finding(sizes, is_finding, tmp_path):
    report = audited(tmp_path, *([masked()] * size for size in sizes))
    assert report.status == 0
    assert any("differ by more than 5%" in finding for finding in report.findings) == is_finding
