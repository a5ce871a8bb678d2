"""What show_records prints."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras import flags
from tests.tfrecord_tools.audit.hand_made import with_changes, write
from tfrecord_tools import show_records

ROOT = Path(__file__).parents[2]
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "ship", "port", "##s"]
RANDOM_NEXT = {
    "input_ids": [2, 5, 4, 8, 3, 7, 3, 0],
    "input_mask": [1, 1, 1, 1, 1, 1, 1, 0],
    "segment_ids": [0, 0, 0, 0, 0, 1, 1, 0],
    "masked_lm_positions": [2, 5, 0],
    "masked_lm_ids": [6, 7, 0],
    "masked_lm_weights": [1.0, 1.0, 0.0],
    "next_sentence_labels": [1],
}
TRUE_NEXT = {
    "input_ids": [2, 5, 3, 6, 3, 0, 0, 0],
    "input_mask": [1, 1, 1, 1, 1, 0, 0, 0],
    "segment_ids": [0, 0, 0, 1, 1, 0, 0, 0],
    "masked_lm_positions": [1, 0, 0],
    "masked_lm_ids": [7, 0, 0],
    "masked_lm_weights": [1.0, 0.0, 0.0],
    "next_sentence_labels": [0],
}
UNMASKED = {
    "input_ids": [2, 5, 6, 8, 3, 7, 3, 0],
    "input_mask": [1, 1, 1, 1, 1, 1, 1, 0],
    "segment_ids": [0, 0, 0, 0, 0, 1, 1, 0],
    "starts_word": [0, 1, 1, 0, 0, 1, 0, 0],
    "next_sentence_labels": [1],
}
ONE_TEXT = with_changes(TRUE_NEXT, segment_ids={3: 0, 4: 0})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    write(tmp_path / "plain.tfrecord", [RANDOM_NEXT, TRUE_NEXT, TRUE_NEXT])
    write(tmp_path / "unmasked.tfrecord", [UNMASKED])
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
        f"{path}, record 1: label 1, B is random or swapped; 7 tokens of 8, 2 to predict of 3\n"
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


def test_unmasked_records(folder, capsys):
    path = folder / "unmasked.tfrecord"
    assert run(path, f"--vocab_file={folder}/vocab.txt") == 0
    assert capsys.readouterr().out == (
        f"{path}, record 1: label 1, B is random or swapped; 7 tokens of 8, unmasked\n"
        "  A  [CLS] the ship ##s [SEP]\n"
        "  B  port [SEP]\n\n"
    )


def test_a_record_of_one_text_has_no_other(folder, capsys):
    write(folder / "one.tfrecord", [ONE_TEXT])
    assert run(folder / "one.tfrecord", f"--vocab_file={folder}/vocab.txt") == 0
    assert capsys.readouterr().out == (
        f"{folder}/one.tfrecord, record 1: label 0, one text; 5 tokens of 8, 1 to predict of 3\n"
        "  A  [CLS] the→port [SEP] ship [SEP]\n\n"
    )


def test_an_audit_prints_and_writes_its_report(folder, capsys):
    path = folder / "plain.tfrecord"
    words = ["--audit", f"--vocab_file={folder}/vocab.txt", f"--picture={folder}/audit.html"]
    assert run(path, *words, f"--held_out_file={path}", f"--output_file={folder}/a.json") == 0
    out, error = capsys.readouterr()
    steps = re.findall(r"^(\S+): .* in [\d.]+ s$", error, re.MULTILINE)
    assert steps == ["held-out", "auditing", "comparing", "drawing"]
    assert re.search(r"^records +3$", out, re.MULTILINE)
    assert "broken rules: none" in out
    report = json.loads((folder / "a.json").read_text())
    assert report["values"]["leaked_same_share"] == 1
    assert report["problems"] == []
    assert "broken rules: none" in (folder / "audit.html").read_text()


def test_a_broken_rule_is_the_exit_status_of_the_program(folder):
    broken = with_changes(TRUE_NEXT, segment_ids={2: 1, 3: 0})
    path = write(folder / "broken.tfrecord", [TRUE_NEXT, broken])
    program = [sys.executable, "-m", "tfrecord_tools.show_records", "--audit"]
    done = subprocess.run(
        [*program, path, f"--vocab_file={folder}/vocab.txt"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "broken.tfrecord, record 2: segment_ids[2] is 1" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["cut", "none"])
def test_damage_is_part_of_the_report(name, folder, capsys):
    assert run(folder / "plain.tfrecord", folder / f"{name}.tfrecord", "--audit") == 1
    assert f"{folder / name}.tfrecord " in capsys.readouterr().out


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
        (["{}/plain.tfrecord", "--picture=a.png"], "--picture belongs to an audit"),
        (["{}/plain.tfrecord", "--audit", "--picture=a.gif"], "end in .png or .html"),
        (["{}/plain.tfrecord", "--audit", "--mask_share=0.9"], "must sum to 1"),
        (["{}/plain.tfrecord", "--audit", "--held_out_file={}/missing"], "missing"),
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


def test_a_damaged_record_points_to_the_audit(folder, capsys):
    assert run(folder / "cut.tfrecord") == 1
    assert "Make it again; --audit looks through the rest of a set." in capsys.readouterr().err
