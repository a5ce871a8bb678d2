"""One process at a time where two would do harm. Loads no TensorFlow."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator

from bert_keras.errors import InputError


@contextlib.contextmanager
def exclusive_lock(path: str, in_use: str) -> Iterator[None]:
    """Holds the lock of a file, which is made; the system lets go when this process ends.

    File systems without locks are not guarded.

    Args:
      path: the file. Its holder may remove it.
      in_use: what to tell the user if another process holds the lock.

    Raises:
      InputError: `in_use`.
    """
    with open(path, "w") as file:
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
