"""The files that a flag names: one rule for every program that reads files.

Importing this loads no TensorFlow. Paths with a scheme (`gs://bucket/name`) are looked up through
TensorFlow's file systems, which is imported for them alone.
"""

import glob
import os
from collections.abc import Iterable

from bert_keras.errors import InputError

LONGEST_PATH = 4096  # Linux: PATH_MAX


def expand_input_files(
    patterns: str | os.PathLike | Iterable[str | os.PathLike],
) -> list[str]:
    """Returns the files that comma-separated paths and globs name, in the order given.

    As in the original programs, the matches of one glob are sorted, and what is named twice comes
    twice. Unlike there, a name that exists is taken as it is, also if it holds a comma, blanks or
    the characters of a glob, and a name that leads to no file is an error.

    Raises:
      InputError: no name at all, a name or glob without a file, a folder.
    """
    if isinstance(patterns, (str, os.PathLike)):
        patterns = [patterns]
    pieces = ",".join(map(os.fspath, patterns)).split(",")
    files = []
    while pieces:
        num_pieces = _num_pieces_of_existing_path(pieces)
        if num_pieces:
            files.append(",".join(pieces[:num_pieces]))
        elif pieces[0].strip():
            files.extend(_expand(pieces[0].strip()))
        pieces = pieces[num_pieces or 1 :]
    if not files:
        raise InputError("Expected the names of input files; received none.")
    for file in files:
        if _is_folder(file):
            raise InputError(f"Expected files; {file} is a folder. Name its files: {file}/*")
    return files


def _num_pieces_of_existing_path(pieces: list[str]) -> int:
    """How many of the next pieces form, with their commas, the longest local path that exists."""
    found, path = 0, ""
    for num_pieces, piece in enumerate(pieces, start=1):
        path = f"{path},{piece}" if path else piece
        if len(path) > LONGEST_PATH:
            break
        if path and os.path.lexists(path):
            found = num_pieces
    return found


def _expand(pattern: str) -> list[str]:
    """The files of a name or glob that does not exist as it stands, blanks around it taken off."""
    if "://" in pattern:
        from tensorflow.io import gfile  # only such paths need TensorFlow

        matches = sorted(gfile.glob(pattern))
    elif os.path.exists(pattern):
        matches = [pattern]
    else:
        matches = sorted(glob.glob(os.path.expanduser(pattern)))
    files = [match for match in matches if not _is_folder(match)]
    if not files:
        what = "match of a glob" if glob.has_magic(pattern) else "file"
        found = f" ({len(matches)} folders match)" if matches else ""
        raise InputError(
            f"Expected at least one {what} for {pattern!r}; found none{found} "
            f"from {os.getcwd()}. Check the spelling and the folder."
        )
    return files


def _is_folder(path: str) -> bool:
    if "://" in path:
        from tensorflow.io import gfile

        return gfile.isdir(path)
    return os.path.isdir(path)
