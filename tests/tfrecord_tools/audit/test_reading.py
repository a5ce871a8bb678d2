"""Files that are damaged, cut, empty or of another kind are named, and the rest is audited."""

import gzip

import pytest

from tests.tfrecord_tools.audit.hand_made import audited, masked, write
from tfrecord_tools.audit.reading import NUM_RECORDS_AT_A_TIME

NUM_RECORDS = NUM_RECORDS_AT_A_TIME + 10


def flipped(num_records: int):
    """One bit is another, in the record after so many."""

    def damage(content: bytes) -> bytes:
        place = len(content) // NUM_RECORDS * num_records + 12  # behind length and checksum
        return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]

    return damage


DAMAGED = {
    "cut within a record": (lambda content: content[:-5], NUM_RECORDS - 1, "past record"),
    "one bit in the middle": (flipped(500), 500, "past record 500"),
    "one bit in the second batch": (flipped(NUM_RECORDS - 5), NUM_RECORDS - 5, "past record"),
    "GZIP by its first bytes": (lambda content: b"\x1f\x8b\x08no GZIP", 0, "past record 0"),
    "cut within a header": (lambda content: content + b"abc", NUM_RECORDS, "3 bytes"),
    "another kind": (lambda content: b"some text, no records at all", 0, "past record 0"),
    "GZIP without its size": (lambda content: gzip.compress(content)[:-4], NUM_RECORDS, "cut off"),
    "GZIP without checksum": (lambda content: gzip.compress(content)[:-9], NUM_RECORDS, "cut off"),
    "GZIP of a cut header": (lambda content: gzip.compress(content + b"abc"), None, "3 bytes"),
    "GZIP of 3 bytes": (lambda content: gzip.compress(content)[:3], 0, "cut off"),
    "GZIP, cut": (lambda content: gzip.compress(content)[:-100], None, "past record"),
}


@pytest.mark.parametrize(("damage", "num_records", "named"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_named_and_read_up_to_the_damage(damage, num_records, named, tmp_path):
    sound = write(tmp_path / "sound", [masked()])
    whole = write(tmp_path / "damaged", [masked()] * NUM_RECORDS)
    (tmp_path / "damaged").write_bytes(damage((tmp_path / "damaged").read_bytes()))
    report = audited(tmp_path, sound, whole)
    (problem,) = report.problems
    assert problem.rule == "every file is a sound TFRecord file"
    assert problem.examples[0].startswith(whole)
    assert named in problem.examples[0]
    is_cut_short = named.startswith("past record")
    assert ("numbers of the audit are those of the records before" in str(report)) == is_cut_short
    if num_records is not None:
        assert report.values["num_records"] == 1 + num_records


def test_an_empty_file_is_named(tmp_path):
    report = audited(tmp_path, [masked()], [])
    (problem,) = report.problems
    assert problem.rule == "every file holds records"
    assert str(tmp_path / "1.tfrecord") in problem.examples[0]


def test_no_records_at_all(tmp_path):
    report = audited(tmp_path, [])
    assert report.status == 1
    assert "unknown" in str(report)


def test_gzip_files_are_read(tmp_path):
    plain = write(tmp_path / "plain", [masked()] * NUM_RECORDS)
    content = (tmp_path / "plain").read_bytes()
    half = len(content) // NUM_RECORDS * 500
    pieces = gzip.compress(content[:half]) + gzip.compress(content[half:])
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    (tmp_path / "joined").write_bytes(pieces)
    report = audited(tmp_path, str(tmp_path / "packed"))
    assert report.status == 0
    assert report.values == audited(tmp_path, str(tmp_path / "joined")).values
    assert report.values == audited(tmp_path, plain).values
