"""The rule by which a flag names files."""

import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.files import expand_input_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    names = [
        "b.txt",
        "a.txt",
        "one,two.txt",
        "with blank.txt",
        " led.txt",
        "set[1].txt",
        "set1.txt",
    ]
    for name in names:
        (tmp_path / name).write_text("x")
    (tmp_path / "sub.d").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        ("a.txt", ["a.txt"]),
        ("b.txt,a.txt", ["b.txt", "a.txt"]),
        (["b.txt", "a.txt"], ["b.txt", "a.txt"]),
        (Path("b.txt"), ["b.txt"]),
        ([Path("b.txt"), "a.txt"], ["b.txt", "a.txt"]),
        ("b.txt, a.txt,", ["b.txt", "a.txt"]),
        ("[ab].txt", ["a.txt", "b.txt"]),
        ("b.txt,[ab].txt", ["b.txt", "a.txt", "b.txt"]),
        ("one,two.txt", ["one,two.txt"]),
        (["one", "two.txt"], ["one,two.txt"]),
        ("a.txt,one,two.txt,b.txt", ["a.txt", "one,two.txt", "b.txt"]),
        ("with blank.txt", ["with blank.txt"]),
        (" led.txt", [" led.txt"]),
        ("set[1].txt", ["set[1].txt"]),
        ("set[12].txt", ["set1.txt"]),
        ("s*", ["set1.txt", "set[1].txt"]),
    ],
)
def test_names(folder, patterns, files):
    assert expand_input_files(patterns) == files


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("", "received none"),
        ([], "received none"),
        (" , ", "received none"),
        ("c.txt", "file for 'c.txt'; found none"),
        ("a.txt,c.txt", "file for 'c.txt'"),
        ("*.record", r"match of a glob for '\*.record'"),
        ("sub.d", r"sub.d is a folder. Name its files: sub.d/\*"),
        (".", "is a folder"),
        ("*.d", "1 folders match"),
        ("file:///no/such/name", "found none"),
    ],
)
def test_names_without_a_file(folder, patterns, message):
    with pytest.raises(InputError, match=message):
        expand_input_files(patterns)


def test_paths_with_a_scheme(folder):
    assert expand_input_files(f"file://{folder}/[ab].txt") == [
        f"file://{folder}/a.txt",
        f"file://{folder}/b.txt",
    ]


def test_local_paths_load_no_tensorflow(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    code = (
        "import sys; from bert_keras.files import expand_input_files; "
        f"expand_input_files({str(tmp_path / '*.txt')!r}); sys.exit('tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
