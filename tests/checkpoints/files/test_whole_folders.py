"""A folder appears whole or not at all, and nothing that lay there is lost."""

import multiprocessing
import os
import pathlib
import signal

import pytest
import tensorflow as tf

from bert_keras.checkpoints.files import whole_folders
from bert_keras.checkpoints.files.whole_folders import is_cut_off, new_folder, replaced_files
from bert_keras.errors import InputError
from bert_keras.files import UNFINISHED


def fill(folder, content="new"):
    pathlib.Path(folder, "inner").mkdir()
    for name in ("a", "b", "inner/c"):
        pathlib.Path(folder, name).write_text(content)


def tree(folder) -> set[str]:
    return {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*")}


WHOLE = {"a", "b", "inner", "inner/c"}


@pytest.mark.parametrize("spelling", ["{}/new", "{}/new/", "file://{}/new"])
def test_a_new_folder_is_there_when_it_is_complete(spelling, tmp_path):
    with new_folder(spelling.format(tmp_path)) as unfinished:
        fill(unfinished.removeprefix("file://"))
        assert not (tmp_path / "new").exists()
    assert tree(tmp_path) == {"new", *(f"new/{name}" for name in WHOLE)}


@pytest.mark.parametrize("spelling", ["empty", ".", "link"])
def test_an_empty_folder_is_filled_where_it_is(spelling, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    monkeypatch.chdir(tmp_path / "empty" if spelling == "." else tmp_path)
    with new_folder(spelling) as unfinished:
        fill(unfinished)
    assert tree(tmp_path / "empty") == WHOLE
    assert (tmp_path / "link").is_symlink()


def test_what_fails_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), new_folder(f"{tmp_path}/new") as unfinished:
        fill(unfinished)
        raise ZeroDivisionError
    assert tree(tmp_path) == set()


@pytest.mark.parametrize("name", ["file", "full", "broken", ""])
def test_what_is_there_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("years of work")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    before = tree(tmp_path)
    with pytest.raises(InputError, match="new folder, or an empty one"), new_folder(name):
        pass
    assert tree(tmp_path) == before


def test_a_folder_of_yours_under_the_name_of_the_unfinished_one_is_left(tmp_path):
    """Also where it is a link to a folder elsewhere."""
    (tmp_path / ".new.unfinished").mkdir()
    (tmp_path / ".new.unfinished" / "thesis.txt").write_text("years of work")
    (tmp_path / ".other.unfinished").symlink_to(tmp_path / ".new.unfinished")
    before = tree(tmp_path)
    for name in ("new", "other"):
        with pytest.raises(InputError, match="in the way"), new_folder(f"{tmp_path}/{name}"):
            pass
    assert tree(tmp_path) == before


def killed_while_writing(folder):
    with new_folder(folder) as unfinished:
        fill(unfinished, "old")
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    process = multiprocessing.get_context("fork").Process(
        target=killed_while_writing, args=(f"{tmp_path}/new",)
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "new").exists()
    with new_folder(f"{tmp_path}/new") as unfinished:
        fill(unfinished)
    assert tree(tmp_path) == {"new", *(f"new/{name}" for name in WHOLE)}
    assert (tmp_path / "new" / "a").read_text() == "new"


def test_two_at_once_do_not_disturb_each_other(tmp_path):
    with new_folder(f"{tmp_path}/new") as unfinished:
        fill(unfinished)
        second = new_folder(f"{tmp_path}/new")
        with pytest.raises(InputError, match="another one is writing"), second:
            pass
        assert tree(unfinished) == {".lock", *WHOLE}
    assert tree(tmp_path / "new") == WHOLE


def test_files_take_the_place_of_older_ones_and_others_stay(tmp_path):
    for name in ("a", "stale", "mine"):
        (tmp_path / name).write_text("old")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "stale").write_text("old")
    own = ("a", "b", "stale", "inner")
    with replaced_files(str(tmp_path), own.__contains__, last=("b",)) as unfinished:
        fill(unfinished)
        assert (tmp_path / "a").read_text() == "old"
    assert tree(tmp_path) == {"mine", *WHOLE}
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "mine").read_text() == "old"


def test_failure_leaves_the_older_files(tmp_path):
    (tmp_path / "a").write_text("old")
    files = replaced_files(str(tmp_path), lambda name: True, last=("b",))
    with pytest.raises(ZeroDivisionError), files as unfinished:
        fill(unfinished)
        raise ZeroDivisionError
    assert tree(tmp_path) == {"a"}
    assert (tmp_path / "a").read_text() == "old"


def replace(folder):
    with replaced_files(folder, WHOLE.__contains__, last=("b",)) as unfinished:
        fill(unfinished)


def replace_and_die(folder, number):
    """Ends like a kill before its Nth change: three files go, three come, the folder goes."""
    changes = []

    def dying(change):
        def changed(*arguments, **options):
            changes.append(arguments)
            return os._exit(9) if len(changes) == number else change(*arguments, **options)

        return changed

    whole_folders._remove = dying(whole_folders._remove)
    tf.io.gfile.rename = dying(tf.io.gfile.rename)
    replace(folder)


@pytest.mark.parametrize("number", range(1, 8))
def test_what_a_kill_leaves_of_replaced_files_is_known_and_completed(number, tmp_path):
    fill(tmp_path, "old")
    process = multiprocessing.get_context("fork").Process(
        target=replace_and_die, args=(str(tmp_path), number)
    )
    process.start()
    process.join()
    assert process.exitcode == 9
    assert is_cut_off(str(tmp_path))
    replace(str(tmp_path))
    assert tree(tmp_path) == WHOLE
    assert (tmp_path / "a").read_text() == "new"
    assert not is_cut_off(str(tmp_path))


def test_an_empty_folder_of_that_name_is_one_that_was_left(tmp_path):
    (tmp_path / UNFINISHED).mkdir()
    replace(str(tmp_path))
    assert tree(tmp_path) == WHOLE


def test_what_tensorflow_refuses_is_said_without_its_nodes(tmp_path):
    message = "{{function_node __wrapped__SaveV2_device_/job:x}} No space left\non device"
    expected = pytest.raises(InputError, match="/new cannot be written: No space left on device$")
    with expected, new_folder(str(tmp_path / "new")):
        raise tf.errors.ResourceExhaustedError(None, None, message)
