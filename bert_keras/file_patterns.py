"""Input files as they are typed: comma-separated paths and globs, by one rule for every program."""

import glob
import os
from collections.abc import Iterable

from bert_keras.errors import InputError
from bert_keras.files import gfile, has_scheme, is_folder

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
    files = []
    for pattern in split_patterns(patterns):
        files.extend([pattern] if os.path.lexists(pattern) else _expand(pattern))
    if not files:
        raise InputError("Expected the names of input files; received none.")
    for file in files:
        if is_folder(file):
            raise InputError(f"Expected files; {file} is a folder. Name its files: {file}/*")
        if not has_scheme(file) and not os.path.exists(file):
            raise InputError(f"Expected files; {file} is a link to a file that does not exist.")
    return files


def split_patterns(patterns: str | os.PathLike | Iterable[str | os.PathLike]) -> list[str]:
    """Returns comma-separated paths and globs one by one; commas of existing paths part nothing."""
    if isinstance(patterns, (str, os.PathLike)):
        patterns = [patterns]
    pieces = ",".join(map(os.fspath, patterns)).split(",")
    found = []
    while pieces:
        num_pieces = _num_pieces_of_existing_path(pieces)
        path = ",".join(pieces[:num_pieces]) if num_pieces else pieces[0].strip()
        if path:
            found.append(path)
        pieces = pieces[num_pieces or 1 :]
    return found


def _num_pieces_of_existing_path(pieces: list[str]) -> int:
    """How many of the next pieces form, with their commas, the longest local path that exists.

    A glob counts if the commas are those of its folder.
    """
    found, path = 0, ""
    for num_pieces, piece in enumerate(pieces, start=1):
        path = f"{path},{piece}" if path else piece
        if len(path) > LONGEST_PATH:
            break
        folder, name = os.path.split(path)
        is_glob = "," in folder and "," not in name and glob.has_magic(name)
        if path and (os.path.lexists(path) or is_glob and os.path.isdir(folder)):
            found = num_pieces
    return found


def _expand(pattern: str) -> list[str]:
    """The files of a name or glob that does not exist as it stands, blanks around it taken off."""
    if has_scheme(pattern):
        matches = sorted(gfile().glob(pattern))
    elif os.path.exists(pattern):
        matches = [pattern]
    else:
        matches = sorted(glob.glob(os.path.expanduser(pattern)))
    files = [match for match in matches if not is_folder(match)]
    if not files:
        what = "match of a glob" if glob.has_magic(pattern) else "file"
        found = f" ({len(matches)} folders match)" if matches else ""
        raise InputError(
            f"Expected at least one {what} for {pattern!r}; found none{found} "
            f"from {os.getcwd()}. Check the spelling and the folder."
        )
    return files
