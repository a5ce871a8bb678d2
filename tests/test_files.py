"""The rule by which a flag names files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.files import (
    UNFINISHED,
    expand_input_files,
    folder_of,
    read_bytes,
    read_text,
    replace_files,
    split_patterns,
    whole_file,
    write_text,
)


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


@pytest.fixture(params=["", "file://"], ids=["local", "scheme"])
def root(request, tmp_path):
    """The name of a folder, as a path and with a scheme."""
    return f"{request.param}{tmp_path}"


def test_what_is_written_is_read(root, tmp_path):
    for text in ("earlier", "caf\u00e9\r\n\u2028\n"):
        write_text(f"{root}/a", text)
        assert read_text(f"{root}/a") == text
        assert read_bytes(f"{root}/a") == text.encode()
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_written_in_parts_has_its_name_when_it_is_complete(root, tmp_path):
    with whole_file(f"{root}/a") as file:
        file.write(b"one ")
        assert not (tmp_path / "a").exists()
        file.write(memoryview(b"two"))
        assert (file.tell(), file.seekable()) == (7, False)
    assert read_text(f"{root}/a") == "one two"
    with pytest.raises(KeyError), whole_file(f"{root}/a") as file:
        file.write(b"three")
        raise KeyError
    assert os.listdir(tmp_path) == ["a"] and read_text(f"{root}/a") == "one two"


def test_what_cannot_be_read_or_written_is_named(root, tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ("missing", "folder"):
        with pytest.raises(InputError, match=f"/{name} cannot be read: .*Check the spelling"):
            read_bytes(f"{root}/{name}")
    for name in ("folder", "missing/a"):
        with pytest.raises(InputError, match=f"/{name} cannot be written: .*folder must exist"):
            write_text(f"{root}/{name}", "text")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_keeps_the_earlier_file(root, tmp_path):
    (tmp_path / "a").write_text("earlier")
    os.symlink("/dev/full", tmp_path / f".a{UNFINISHED}")
    with pytest.raises(InputError, match="a cannot be written: .*No space"):
        write_text(f"{root}/a", "text" * 10_000)
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "earlier"


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe cannot be written: it is no file"):
        write_text(tmp_path / "pipe", "text")
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "file").write_text("earlier")
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"


def test_text_that_is_not_utf_8_is_named_with_its_line(tmp_path):
    (tmp_path / "a").write_bytes(b"port\ncaf\xe9\n")
    with pytest.raises(InputError, match="/a, line 2, holds the byte 0xe9"):
        read_text(tmp_path / "a")


def test_local_paths_load_no_tensorflow(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    code = (
        "import sys; from bert_keras import files; "
        f"(path,) = files.expand_input_files({str(tmp_path / '*.txt')!r}); "
        "files.write_text(path, files.read_text(path)); sys.exit('tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_files_are_replaced_together(tmp_path):
    for name in ("a", "b", "old_a"):
        (tmp_path / name).write_text(name)
    sources, paths = [f"{tmp_path}/a", f"{tmp_path}/b"], [f"{tmp_path}/old_a", f"{tmp_path}/new"]
    replace_files(sources, paths)
    assert (tmp_path / "old_a").read_text() == "a"
    assert (tmp_path / "new").read_text() == "b"
    assert sorted(os.listdir(tmp_path)) == ["new", "old_a"]


def test_files_that_cannot_all_be_replaced_are_left(tmp_path):
    for name in ("a", "b", "old"):
        (tmp_path / name).write_text(name)
    with pytest.raises(InputError, match="missing/new cannot be written"):
        replace_files(
            [f"{tmp_path}/a", f"{tmp_path}/b"], [f"{tmp_path}/old", f"{tmp_path}/missing/new"]
        )
    assert (tmp_path / "old").read_text() == "old"
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_files_go_to_another_file_system(tmp_path):
    (tmp_path / "a").write_text("content")
    replace_files([f"{tmp_path}/a"], ["ram://replaced"])
    assert read_text("ram://replaced") == "content"


def test_patterns_are_parted_at_commas_but_not_within_existing_paths(folder):
    words = f"{folder}/*.txt, {folder}/a.txt,{folder}/my, own/c.txt,{folder}/one,two.txt"
    assert split_patterns(words.split(",")) == [
        f"{folder}/*.txt",
        f"{folder}/a.txt",
        f"{folder}/my, own/c.txt",
        f"{folder}/one,two.txt",
    ]


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("model.ckpt", "."),
        ("/model.ckpt", "/"),
        ("run/model.ckpt", "run"),
        ("ram://bucket/model.ckpt", "ram://bucket"),
    ],
)
def test_folder_of_a_path(path, folder):
    assert folder_of(path) == folder
