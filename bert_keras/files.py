"""The files that a user names: one rule for every program that reads or writes them.

Importing this loads no TensorFlow. Paths with a scheme (`gs://bucket/name`) go through TensorFlow's
file systems, which are imported for them alone.
"""

import contextlib
import io
import os
import shutil
from collections.abc import Iterator, Sequence

from bert_keras.errors import InputError

UNFINISHED = ".unfinished"  # ends the name that a file has until it is complete


def read_bytes(path: str | os.PathLike) -> bytes:
    """Returns what a file holds; raises InputError if it cannot be read."""
    with named_errors(path, "read"), open_bytes(path) as file:
        return file.read()


def read_text(path: str | os.PathLike) -> str:
    """Returns the text of a UTF-8 file: its line ends as they are, no byte order mark before it.

    Raises:
      InputError: the file cannot be read, or holds other bytes; the message names the line.
    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"Text must be UTF-8; {path}, line {line}, holds the byte "
            f"0x{content[error.start]:02x}. Convert the file, for instance with iconv."
        ) from error


def write_text(path: str | os.PathLike, text: str) -> None:
    """Writes a UTF-8 file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Writes a file that is never seen half-written: under another name, then renamed.

    Raises:
      InputError: it cannot be written; an earlier file of the name is kept then.
    """
    with whole_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[io.RawIOBase]:
    """Yields a stream to write bytes to, whose file gets its name when the block ends.

    Raises:
      InputError: it cannot be written; after this, or any other error, an earlier file of the name
        is kept.
    """
    target = _replaceable(path)
    unfinished = unfinished_name(target)
    try:
        with named_errors(path, "written"):
            file = _open(unfinished, "wb")
        with contextlib.closing(_Sink(file, path)) as sink:
            yield sink
        with named_errors(path, "written"):
            _rename(unfinished, target)
    finally:
        with named_errors(path, "written"):
            remove_if_exists(unfinished)


def check_replaceable(path: str | os.PathLike) -> None:
    """Raises InputError if no file can take the place of what has a name: device, pipe, folder."""
    if is_folder(_replaceable(path)):
        raise InputError(f"{path} cannot be written: it is a folder.")


def _replaceable(path: str | os.PathLike) -> str | os.PathLike:
    """What a file is put in the place of: of a link what it leads to.

    Raises:
      InputError: it is a device or a pipe, of which nothing would be left.
    """
    if has_scheme(path):
        return path
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        raise InputError(f"{path} cannot be written: it is no file that can be replaced.")
    return target


class _Sink(io.RawIOBase):
    """Writes to a file on from its begin, as the streams of all file systems can."""

    def __init__(self, file, path: str | os.PathLike):
        self._file = file
        self._path = path
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, content) -> int:
        with named_errors(self._path, "written"):
            self._file.write(bytes(content))
        self._size += len(content)
        return len(content)

    def close(self) -> None:
        super().close()
        with named_errors(self._path, "written"):
            self._file.close()


def replace_files(sources: Sequence[str], paths: Sequence[str]) -> None:
    """Gives local files other names, in any folder or file system.

    Copies are made first, where they are needed; then all earlier files of the names go, and the
    new ones appear whole, so that a set of files never is a mixture of old and new.

    Raises:
      InputError: one cannot be written; none is then.
    """
    try:
        for source, path in zip(sources, paths, strict=True):
            with named_errors(path, "written"):
                _move_or_copy(source, unfinished_name(path))
        for path in paths:
            remove_if_exists(path)
        for path in paths:
            with named_errors(path, "written"):
                _rename(unfinished_name(path), path)
    finally:
        for path in paths:
            remove_if_exists(unfinished_name(path))


def _move_or_copy(source: str, path: str) -> None:
    with open(source, "rb") as original:
        os.fsync(
            original.fileno()
        )  # a rename may outlive a loss of power that the content does not
        try:
            os.rename(source, path)
        except OSError:  # of another file system
            with _open(path, "wb") as copy:
                shutil.copyfileobj(original, copy)


def unfinished_name(path: str | os.PathLike) -> str:
    """The name of a file while it is written: in the same folder, hidden from globs."""
    folder, slash, name = os.fspath(path).rpartition("/")  # os.path would split ram://name
    return f"{folder}{slash}.{name}{UNFINISHED}"


@contextlib.contextmanager
def named_errors(path: str | os.PathLike, action: str) -> Iterator[None]:
    """Turns what the file system refuses into an InputError that names the path.

    Args:
      path: the file that the user named.
      action: what could not be done to it, "read" or "written".
    """
    refused = OSError
    if has_scheme(path):
        from tensorflow.errors import OpError as refused
    try:
        yield
    except refused as error:
        reason = getattr(error, "message", None) or error.strerror or error
        way_out = {
            "read": "Check the spelling, and that it is a file that you may read.",
            "written": "Its folder must exist, take new files and have room.",
        }
        raise InputError(f"{path} cannot be {action}: {reason}. {way_out[action]}") from error


def open_bytes(path: str | os.PathLike):
    """Opens a file for reading bytes; for use within `named_errors`."""
    return _open(path, "rb")


def file_size(path: str | os.PathLike) -> int:
    """Returns the length of a file in bytes; raises InputError if it cannot be found."""
    with named_errors(path, "read"):
        return gfile().stat(path).length if has_scheme(path) else os.path.getsize(path)


def exists(path: str | os.PathLike) -> bool:
    """Whether there is a file or folder of this name."""
    return gfile().exists(path) if has_scheme(path) else os.path.exists(path)


def remove_if_exists(path: str | os.PathLike) -> None:
    """Removes a file that may not be there."""
    if not has_scheme(path):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    elif gfile().exists(path):
        gfile().remove(path)


def folder_of(path: str) -> str:
    """The folder that a path lies in, "." for a bare name."""
    folder, slash, _ = path.rpartition("/")
    return folder or slash or "."


def is_folder(path: str) -> bool:
    """Whether a path leads to a folder."""
    return gfile().isdir(path) if has_scheme(path) else os.path.isdir(path)


def _open(path: str | os.PathLike, mode: str):
    return gfile().GFile(os.fspath(path), mode) if has_scheme(path) else open(path, mode)


def _rename(source: str, target: str | os.PathLike) -> None:
    if has_scheme(target):
        gfile().rename(source, os.fspath(target), overwrite=True)
    else:
        os.replace(source, target)


def has_scheme(path: str | os.PathLike) -> bool:
    """Whether a path is not of the local file system, such as gs://bucket/name."""
    return "://" in os.fspath(path)


def gfile():
    """TensorFlow's file systems: only paths with a scheme need TensorFlow."""
    from tensorflow import io as tensorflow_io

    return tensorflow_io.gfile
