"""Output files appear whole or not at all."""

import os

import pytest

from bert_keras.errors import InputError
from bert_keras.files import unfinished_name
from tfrecord_tools.records import read_records
from tfrecord_tools.single_stream.record_writer import RecordWriter


def test_records_are_dealt_out_in_turn(tmp_path):
    paths = [str(tmp_path / name) for name in "abc"]
    with RecordWriter(paths) as writer:
        for number in range(7):
            writer.write(str(number).encode())
    assert [b"".join(read_records(path)) for path in paths] == [b"036", b"14", b"25"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_nothing_is_seen_before_the_end_nor_after_a_failure(tmp_path):
    path = str(tmp_path / "a")
    with pytest.raises(KeyboardInterrupt), RecordWriter([path]) as writer:
        writer.write(b"record")
        assert not os.path.exists(path)
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_an_earlier_file_survives_a_failure_and_yields_to_success(tmp_path):
    path = tmp_path / "a"
    path.write_text("earlier")
    with pytest.raises(InputError), RecordWriter([str(path)]):
        raise InputError("corpus")
    assert path.read_text() == "earlier"
    with RecordWriter([str(path)]) as writer:
        writer.write(b"record")
    assert list(read_records(str(path))) == [b"record"]


def test_a_folder_that_takes_no_file_is_an_error_before_any_record(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "missing", tmp_path / "file"):
        paths = [str(tmp_path / "a"), str(folder / "b")]
        with pytest.raises(InputError, match="folder of an output file must exist"):
            RecordWriter(paths).__enter__()
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_is_an_error_of_the_user(tmp_path):
    path = str(tmp_path / "a")
    os.symlink("/dev/full", unfinished_name(path))
    with pytest.raises(InputError, match="have room"), RecordWriter([path]) as writer:
        writer.write(b"x" * 1_000_000)
    assert os.listdir(tmp_path) == []
