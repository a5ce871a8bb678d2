"""What show_records prints."""

import gzip
import re

import pytest
import tensorflow as tf

from bert_keras import flags
from tfrecord_tools import show_records
from tfrecord_tools.records import serialize
from tfrecord_tools.single_stream.instances import Instance

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "ship", "port", "##s"]
RANDOM_NEXT = Instance([2, 5, 4, 8, 3, 7, 3], 5, [2, 5], [6, 7], True, False, 0)
TRUE_NEXT = Instance([2, 5, 3, 6, 3], 3, [1], [7], False, False, 0)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    with tf.io.TFRecordWriter(str(tmp_path / "plain.tfrecord")) as writer:
        for instance in (RANDOM_NEXT, TRUE_NEXT, TRUE_NEXT):
            writer.write(serialize(instance, 8, 3))
    content = (tmp_path / "plain.tfrecord").read_bytes()
    (tmp_path / "packed.tfrecord").write_bytes(gzip.compress(content))
    (tmp_path / "cut.tfrecord").write_bytes(content[:-5])
    (tmp_path / "none.tfrecord").write_bytes(b"")
    return tmp_path


def run(*command_line):
    with pytest.raises(SystemExit) as exit_:
        flags.run(show_records.main, show_records.Settings, command_line=[*map(str, command_line)])
    return exit_.value.code


@pytest.mark.parametrize("name", ["plain.tfrecord", "packed.tfrecord"])
def test_records_as_text(name, folder, capsys):
    path = folder / name
    assert run(path, f"--vocab_file={folder}/vocab.txt", "--max_records=2") == 0
    assert capsys.readouterr().out == (
        f"{path}, record 1: label 1, B is random; 7 tokens of 8, 2 to predict of 3\n"
        "  A  [CLS] the [MASK]→ship ##s [SEP]\n"
        "  B  port→port [SEP]\n\n"
        f"{path}, record 2: label 0, B follows A; 5 tokens of 8, 1 to predict of 3\n"
        "  A  [CLS] the→port [SEP]\n"
        "  B  ship [SEP]\n\n"
        f"{path} holds more: --max_records=NUMBER shows them, --count counts them\n"
    )


def test_records_as_ids(folder, capsys):
    assert run(folder / "plain.tfrecord") == 0
    assert "  A  2 5 4→6 8 3\n  B  7→7 3\n" in capsys.readouterr().out


def test_counts(folder, capsys):
    assert run(folder / "p*.tfrecord", folder / "none.tfrecord", "--count") == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [number for number, _ in lines] == ["3", "3", "0", "6"]


def test_an_empty_file_is_named(folder, capsys):
    assert run(folder / "none.tfrecord") == 0
    assert "none.tfrecord holds no records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command_line", "message"),
    [
        ([], "Expected the name of a TFRecord file"),
        (["{}/vocab.txt"], "vocab.txt cannot be read past record 0"),
        (["{}/cut.tfrecord", "--count"], "cut.tfrecord cannot be read past record 2"),
        (["{}/missing"], "missing"),
        (["{}"], "folder"),
        (["{}/plain.tfrecord", "--max_records=0"], "max_records must be at least 1"),
        (["{}/plain.tfrecord", "--vocab_file={}/small.txt"], "record 1: .*received 2, .*is 1"),
    ],
)
def test_bad_input(command_line, message, folder, capsys):
    (folder / "small.txt").write_text("[PAD]\n[UNK]\n")
    assert run(*(word.replace("{}", str(folder)) for word in command_line)) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert re.search(message, error), error
