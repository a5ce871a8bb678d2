"""Folders that are never seen half-written, by other programs or after a kill."""

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterator

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.files import UNFINISHED, has_scheme
from bert_keras.locks import exclusive_lock

_LOCK = ".lock"  # lies in a folder that is being written, and says that it is ours


@contextlib.contextmanager
def new_folder(folder: str, last: Collection[str] = ()) -> Iterator[str]:
    """Yields a folder to write into, which gets its name when the block ends without an error.

    Another process that writes to the same name is refused; what a killed one left is removed.

    Args:
        folder: a name that is not there, or an empty folder.
        last: names of files without which the others are nothing. Into an empty folder they are
            moved last, so that a kill leaves nothing that could be read.

    Raises:
        InputError: something is there, or it cannot be written.
    """
    check_new(folder)
    with _named_errors(folder):
        is_there = tf.io.gfile.exists(folder)
        with _unfinished(folder if is_there else "", folder) as unfinished:
            check_new(folder)  # another process may have made it before this one had the lock
            yield unfinished
            if is_there:
                _move_into(unfinished, folder, last)
            else:
                _remove(tf.io.gfile.join(unfinished, _LOCK))
                tf.io.gfile.rename(unfinished, folder.rstrip("/"))


@contextlib.contextmanager
def replaced_files(
    folder: str, is_stale: Callable[[str], bool], last: Collection[str]
) -> Iterator[str]:
    """Yields a folder to write into, whose files take the place of older ones in `folder`.

    That is made if needed, and files of other names stay. While the files are moved, which takes no
    time, those of `last` are missing, so that a kill never leaves a mixture that could be read.

    Args:
        folder: where the files shall be.
        is_stale: takes a name in the folder, and says whether it goes.
        last: names of files without which the others are nothing.

    Raises:
        InputError: it cannot be written.
    """
    with _named_errors(folder):
        tf.io.gfile.makedirs(folder)
        with _unfinished(folder, folder) as unfinished:
            yield unfinished
            for name in sorted(tf.io.gfile.listdir(folder), key=lambda name: name not in last):
                if is_stale(name.rstrip("/")):
                    _remove(tf.io.gfile.join(folder, name))
            _move_into(unfinished, folder, last)


def check_new(folder: str) -> None:
    """Raises InputError if something is there that could be lost, or no folder can be made."""
    with _named_errors(folder):
        name = folder.rstrip("/")
        is_link = not has_scheme(folder) and os.path.islink(name) and not os.path.isdir(name)
        is_other = tf.io.gfile.exists(folder) and not tf.io.gfile.isdir(folder)
        if not name or is_link or is_other or _content(folder):
            killed = ", where a program was killed while it put its files: empty it"
            why = killed if is_cut_off(folder) else ""
            raise InputError(
                f"A model is written to a new folder, or an empty one. Received: {folder!r}{why}"
            )


def is_cut_off(folder: str) -> bool:
    """Whether a program that put its files into a folder was killed: some may be missing."""
    return tf.io.gfile.exists(tf.io.gfile.join(folder, UNFINISHED, _LOCK))


def _is_left(path: str) -> bool:
    """Whether it is a folder of ours that a process has left: with its lock, or with nothing."""
    if not tf.io.gfile.isdir(path):
        return False
    return tf.io.gfile.exists(tf.io.gfile.join(path, _LOCK)) or not tf.io.gfile.listdir(path)


def _content(folder: str) -> list[str]:
    if not tf.io.gfile.isdir(folder):
        return []
    return [name for name in tf.io.gfile.listdir(folder) if name.rstrip("/") != UNFINISHED]


@contextlib.contextmanager
def _unfinished(parent: str, folder: str) -> Iterator[str]:
    """A folder in `parent`, or else beside `folder`, that no other process has; gone at the end."""
    head, slash, name = folder.rstrip("/").rpartition("/")
    path = tf.io.gfile.join(parent, UNFINISHED) if parent else f"{head}{slash}.{name}{UNFINISHED}"
    lock = tf.io.gfile.join(path, _LOCK)
    is_link = not has_scheme(path) and os.path.islink(path)
    if is_link or tf.io.gfile.exists(path) and not _is_left(path):
        raise InputError(f"{path} is in the way: the model is written there first. Rename it.")
    tf.io.gfile.makedirs(path)
    in_use = f"One program at a time writes to a folder; another one is writing to {folder}."
    holding = contextlib.nullcontext() if has_scheme(path) else exclusive_lock(lock, in_use)
    with holding:
        if has_scheme(path):
            tf.io.gfile.GFile(lock, "w").close()
        try:
            for left in tf.io.gfile.listdir(path):  # by a process that was killed
                if left != _LOCK:
                    _remove(tf.io.gfile.join(path, left))
            yield path
        finally:
            _remove(path)


def _move_into(source: str, folder: str, last: Collection[str]) -> None:
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(source)]
    for name in sorted(names, key=last.__contains__):
        if name != _LOCK:
            target = tf.io.gfile.join(folder, name)
            tf.io.gfile.rename(tf.io.gfile.join(source, name), target, overwrite=True)


def _remove(path: str) -> None:
    """Of a link the link alone."""
    is_link = not has_scheme(path) and os.path.islink(path)
    if not is_link and tf.io.gfile.isdir(path):
        tf.io.gfile.rmtree(path)
    elif is_link or tf.io.gfile.exists(path):
        tf.io.gfile.remove(path)


@contextlib.contextmanager
def _named_errors(folder: str) -> Iterator[None]:
    try:
        yield
    except (tf.errors.OpError, OSError) as error:
        reason = getattr(error, "message", None) or error
        reason = re.sub(r"\{\{.*?\}\}", "", str(reason))  # the name of a node of the graph
        reason = " ".join(reason.split())  # some are of two lines
        raise InputError(f"The folder {folder} cannot be written: {reason}") from error
