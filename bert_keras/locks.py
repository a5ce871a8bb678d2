"""One process at a time where two would do harm. Loads no TensorFlow."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from typing import TextIO

from bert_keras.errors import InputError
from bert_keras.files import named_errors


@contextlib.contextmanager
def exclusive_lock(path: str, in_use: str) -> Iterator[None]:
    """Holds the lock of a file, which is made; the system lets go when this process ends.

    File systems without locks are not guarded.

    Args:
      path: the file. Its holder may remove it.
      in_use: what to tell the user if another process holds the lock.

    Raises:
      InputError: `in_use`; or the file cannot be made.
    """
    with _opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(in_use) from error
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP):
                raise
        if not os.path.exists(path) or not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            raise InputError(in_use)  # its last holder removed it between our two steps
        yield


@contextlib.contextmanager
def waiting_lock(path: str) -> Iterator[None]:
    """Waits for the lock of a file, which is made and stays, and holds it.

    Raises:
      InputError: the file cannot be made.
    """
    with _opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP):
                raise
        yield


def _opened(path: str) -> TextIO:
    with named_errors(path, "written"):
        return open(path, "w")
