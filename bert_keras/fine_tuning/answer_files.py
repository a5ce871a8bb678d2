"""The files of predictions in the folder of a run."""

from collections.abc import Mapping

from bert_keras.files import exists, read_bytes, write_text
from bert_keras.notices import notify


def write(files: Mapping[str, str], folder: str) -> None:
    """Writes files, name -> text; says which of them replace others.

    Raises:
        InputError: one cannot be written.
    """
    replaced = [name for name, text in files.items() if _is_other(f"{folder}/{name}", text)]
    for name, text in files.items():
        write_text(f"{folder}/{name}", text)
    if replaced:
        notify(f"other predictions in {folder} were replaced: {', '.join(replaced)}")


def _is_other(path: str, text: str) -> bool:
    return exists(path) and read_bytes(path) != text.encode("utf-8")
