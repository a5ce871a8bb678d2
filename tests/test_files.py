"""Files that are read and written, never seen half-written, local or not."""

import os
import subprocess
import sys

import pytest

from bert_keras.errors import InputError
from bert_keras.files import (
    UNFINISHED,
    folder_of,
    read_bytes,
    read_text,
    replace_files,
    whole_file,
    write_text,
)


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
        "import sys; from bert_keras import file_patterns, files; "
        f"(path,) = file_patterns.expand_input_files({str(tmp_path / '*.txt')!r}); "
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
