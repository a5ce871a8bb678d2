"""The files of predictions in the folder of a run, and which of its models made them."""

from collections.abc import Mapping

from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.files import check_replaceable, exists, read_bytes, write_text
from bert_keras.notices import notify

MADE_NAME = "predictions_made.json"


def write(files: Mapping[str, str], folder: str, step: int) -> None:
    """Writes files, name -> text; says which of them replace others.

    Args:
        files: the predictions of a set.
        folder: that of the run.
        step: the number of steps that the model was trained for.

    Raises:
        InputError: one cannot be written.
    """
    for name in files:
        check_replaceable(f"{folder}/{name}")
    replaced = [name for name, text in files.items() if _is_other(f"{folder}/{name}", text)]
    write_json(f"{folder}/{MADE_NAME}", _step_of_files(folder) | dict.fromkeys(files, step))
    for name, text in files.items():
        write_text(f"{folder}/{name}", text)
    if replaced:
        notify(f"other predictions in {folder} were replaced: {', '.join(replaced)}")


def notify_of_others(folder: str, step: int) -> None:
    """Says which predictions beside the model of `step` steps are not its own."""
    others = [
        f"{name} (step {made})"
        for name, made in _step_of_files(folder).items()
        if made != step and exists(f"{folder}/{name}")
    ]
    if others:
        notify(f"{folder} still holds predictions of an earlier model: {', '.join(others)}")


def _step_of_files(folder: str) -> dict[str, int]:
    path = f"{folder}/{MADE_NAME}"
    return read_json(path, dict) if exists(path) else {}


def _is_other(path: str, text: str) -> bool:
    return exists(path) and read_bytes(path) != text.encode("utf-8")
