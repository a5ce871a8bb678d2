"""The zip file of predictions that gluebenchmark.com takes, filled task by task."""

import zipfile

from bert_keras.errors import InputError
from bert_keras.files import exists, read_bytes, write_bytes
from bert_keras.notices import notify
from bert_keras.tasks.classification.predictions import zip_with


def add_to_zip(path: str, name: str, text: str) -> None:
    """Puts a file into the zip of --glue_submission; says what it lacks.

    Raises:
        InputError: there is another kind of file of this name, or it cannot be written.
    """
    try:
        archive, missing = zip_with(read_bytes(path) if exists(path) else b"", name, text)
    except zipfile.BadZipFile as error:
        raise InputError(
            f"--glue_submission names a zip file, which is made if there is none. Received: {path} "
            f"({error})"
        ) from error
    write_bytes(path, archive)
    notify(
        f"{path} lacks {', '.join(missing)}: GLUE takes a submission with all of them."
        if missing
        else f"{path} has all that GLUE takes."
    )
