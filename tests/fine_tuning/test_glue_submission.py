"""The zip of all tasks, which several programs fill."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning.glue_submission import add_to_zip
from bert_keras.tasks.classification.glue import SUBMISSION

ROOT = Path(__file__).parents[2]


def names(path):
    with zipfile.ZipFile(path) as file:
        return sorted(file.namelist())


def test_what_is_missing_is_said(tmp_path, capsys):
    path = str(tmp_path / "all.zip")
    for name in SUBMISSION[:-1]:
        add_to_zip(path, name, "index\n")
    assert capsys.readouterr().err.endswith(
        f"lacks {SUBMISSION[-1]}: GLUE takes a submission with all of them.\n"
    )
    add_to_zip(path, SUBMISSION[-1], "index\n")
    assert "has all that GLUE takes" in capsys.readouterr().err


def test_programs_at_the_same_time_lose_nothing(tmp_path):
    path, files = str(tmp_path / "all.zip"), SUBMISSION[:4]
    program = (
        "import sys; from bert_keras.fine_tuning.glue_submission import add_to_zip\n"
        "for _ in range(20): add_to_zip(*sys.argv[1:], 'index')"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, path, name], cwd=ROOT) for name in files
    ]
    assert [process.wait() for process in running] == [0] * len(files)
    assert names(path) == sorted(files)


def test_a_damaged_file_is_refused_and_kept(tmp_path):
    path = tmp_path / "all.zip"
    add_to_zip(str(path), "RTE.tsv", "index\tprediction\n" * 100)
    whole = path.read_bytes()
    for damaged in (b"no zip", whole[:40] + b"\xff\xff\xff" + whole[43:], whole[:60]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="--glue_submission names a zip file"):
            add_to_zip(str(path), "CoLA.tsv", "index\n")
        assert path.read_bytes() == damaged


def test_what_no_file_can_replace_is_refused(tmp_path):
    os.mkfifo(tmp_path / "all.zip")
    with pytest.raises(InputError, match="it is no file that can be replaced"):
        add_to_zip(str(tmp_path / "all.zip"), "RTE.tsv", "index\n")
