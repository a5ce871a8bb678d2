"""Tables of predictions, and the submission that GLUE's server takes."""

import io
import zipfile
from collections.abc import Sequence

import numpy as np

from bert_keras.tasks.classification.answers import Answers
from bert_keras.tasks.classification.glue import SUBMISSION

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


def zip_with(archive: bytes, name: str, text: str) -> tuple[bytes, list[str]]:
    """Puts a file into the zip of a submission, in place of an earlier one.

    Args:
        archive: the zip; empty for a new one.
        name: the file.
        text: what it holds.

    Returns:
        The zip, and the files of a whole submission that it lacks.

    Raises:
        zipfile.BadZipFile: it is none.
    """
    contents = _contents(archive) | {name: text.encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, content in contents.items():
            file.writestr(zipfile.ZipInfo(entry, _FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue(), [entry for entry in SUBMISSION if entry not in contents]


def _contents(archive: bytes) -> dict[str, bytes]:
    if not archive:
        return {}
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}
