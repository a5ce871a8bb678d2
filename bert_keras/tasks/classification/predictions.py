"""Tables of predictions, and the submission that GLUE's server takes."""

import io
import zipfile
from collections.abc import Sequence

import numpy as np

from bert_keras.errors import InputError
from bert_keras.files import exists, read_bytes, write_bytes
from bert_keras.notices import notify
from bert_keras.tasks.classification.answers import Answers
from bert_keras.tasks.classification.benchmarks import SUBMISSION

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # that a zip can hold: the same answers give the same file


def table(ids: Sequence[str], logits: np.ndarray, labels: Sequence[str], answers: Answers) -> str:
    """TSV: a header; then of each example the id, a probability for each label, the prediction.

    The original writes the probabilities alone. Of numbers there is the column `score`.

    Args:
        ids: N names.
        logits: [N, L].
        labels: what the L columns are called.
        answers: which kind they are.
    """
    probabilities = answers.probabilities(logits)
    columns = labels[: probabilities.shape[1]]
    lines = [["id", *columns, answers.column]]
    for name, row, answer in zip(ids, probabilities, answers.predict(logits, labels), strict=True):
        lines.append([name, *(f"{probability:.7g}" for probability in row), answer])
    return "".join("\t".join(line) + "\n" for line in lines)


def submission(ids: Sequence[str], predicted: Sequence[str]) -> str:
    """One file of a submission: TSV with the columns `index` and `prediction`."""
    rows = zip(ids, predicted, strict=True)
    return "index\tprediction\n" + "".join(f"{name}\t{answer}\n" for name, answer in rows)


def add_to_zip(path: str, name: str, text: str) -> None:
    """Puts a file into the zip of a submission, in place of an earlier one; says what it lacks.

    Raises:
        InputError: there is another kind of file of this name, or it cannot be written.
    """
    contents = _contents(path) | {name: text.encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in contents.items():
            archive.writestr(zipfile.ZipInfo(entry, _FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    write_bytes(path, buffer.getvalue())
    missing = [entry for entry in SUBMISSION if entry not in contents]
    notify(
        f"{path} lacks {', '.join(missing)}: GLUE takes a submission with all of them."
        if missing
        else f"{path} has all that GLUE takes."
    )


def _contents(path: str) -> dict[str, bytes]:
    if not exists(path):
        return {}
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path))) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except zipfile.BadZipFile as error:
        raise InputError(
            f"--glue_submission names a zip file, which is made if there is none. Received: {path} "
            f"({error})"
        ) from error
