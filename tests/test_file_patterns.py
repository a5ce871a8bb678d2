"""The rule by which a flag names files."""

from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files, split_patterns


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
    (tmp_path / "my, own").mkdir()
    (tmp_path / "my, own" / "c.txt").write_text("x")
    (tmp_path / "broken").symlink_to("nowhere")
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
        ("a.txt,my, own/*.txt,b.txt", ["a.txt", "my, own/c.txt", "b.txt"]),
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
        ("broken", "broken is a link to a file that does not exist"),
        ("my, own/*.md", r"match of a glob for 'my, own/\*.md'"),
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


def test_patterns_are_parted_at_commas_but_not_within_existing_paths(folder):
    words = f"{folder}/*.txt, {folder}/a.txt,{folder}/my, own/c.txt,{folder}/one,two.txt"
    assert split_patterns(words.split(",")) == [
        f"{folder}/*.txt",
        f"{folder}/a.txt",
        f"{folder}/my, own/c.txt",
        f"{folder}/one,two.txt",
    ]
