"""The zip file of predictions that gluebenchmark.com takes, filled task by task."""

import contextlib
import zipfile
import zlib

from bert_keras.errors import InputError
from bert_keras.files import check_replaceable, exists, has_scheme, read_bytes, write_bytes
from bert_keras.locks import waiting_lock
from bert_keras.notices import notify
from bert_keras.tasks.classification.predictions import zip_with

# What zipfile raises for a file that is none, is damaged, or is encrypted.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def add_to_zip(path: str, name: str, text: str) -> None:
    """Puts a file into the zip of --glue_submission; says what it lacks.

    Raises:
        InputError: there is another kind of file of this name, or it cannot be written.
    """
    check_replaceable(path)
    with _alone(path):
        try:
            archive, missing = zip_with(read_bytes(path) if exists(path) else b"", name, text)
        except _DAMAGED as error:
            raise InputError(
                f"--glue_submission names a zip file, which is made if there is none. Received: "
                f"{path} ({error})"
            ) from error
        write_bytes(path, archive)
    notify(
        f"{path} lacks {', '.join(missing)}: GLUE takes a submission with all of them."
        if missing
        else f"{path} has all that GLUE takes."
    )


def _alone(path: str) -> contextlib.AbstractContextManager:
    """Waits for other programs that put their files into the same zip, if it is a local one."""
    return contextlib.nullcontext() if has_scheme(path) else waiting_lock(f"{path}.lock")
