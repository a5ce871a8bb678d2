"""Checksums tell sets of records apart, and nothing else."""

import random

import pytest

from tests.tfrecord_tools.audit.hand_made import audited, drawn


@pytest.fixture
def records():
    rng = random.Random(1)
    return [drawn(rng) for _ in range(30)]


def checksums(folder, *files):
    values = audited(folder, *files).values
    return values["checksum_of_records"], values["checksum_of_files"]


def test_the_same_files_have_the_same_checksums(tmp_path, records):
    assert checksums(tmp_path, records) == checksums(tmp_path, records)
    assert [len(checksum) for checksum in checksums(tmp_path, records)] == [32, 32]


@pytest.mark.parametrize("change", ["order", "shards", "borders"])
def test_order_and_files_change_only_the_checksum_of_files(change, tmp_path, records):
    other = {
        "order": [records[::-1]],
        "shards": [records[::2], records[1::2]],
        "borders": [records[:7], records[7:]],
    }[change]
    of_records, of_files = checksums(tmp_path, records)
    assert checksums(tmp_path, *other)[0] == of_records
    assert checksums(tmp_path, *other)[1] != of_files


@pytest.mark.parametrize("change", ["one less", "two equal more", "another"])
def test_other_records_change_both(change, tmp_path, records):
    other = {
        "one less": records[:-1],
        "two equal more": records + records[:1] * 2,
        "another": records[:-1] + records[:1],
    }[change]
    before, after = checksums(tmp_path, records), checksums(tmp_path, other)
    assert before[0] != after[0]
    assert before[1] != after[1]
