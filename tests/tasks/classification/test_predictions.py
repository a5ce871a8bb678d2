import zipfile

import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.classification import multi_label, regression, single_label
from bert_keras.tasks.classification.benchmarks import SUBMISSION
from bert_keras.tasks.classification.predictions import add_to_zip, submission, table

IDS = ("7", "8")


def test_a_table_of_classes_names_them_in_the_order_of_the_model():
    logits = np.log([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]])
    assert table(IDS, logits, ("red", "amber", "green"), single_label.ANSWERS) == (
        "id\tred\tamber\tgreen\tprediction\n7\t0.5\t0.25\t0.25\tred\n8\t0.125\t0.125\t0.75\tgreen\n"
    )


def test_a_table_of_sets_of_labels():
    logits = np.log([[0.75 / 0.25, 0.5 / 0.5], [0.25 / 0.75, 0.25 / 0.75]])
    assert table(IDS, logits, ("rain", "sun"), multi_label.ANSWERS) == (
        "id\train\tsun\tprediction\n7\t0.75\t0.5\train,sun\n8\t0.25\t0.25\t\n"
    )


def test_a_table_of_numbers():
    logits = np.array([[5.25], [-0.125]], np.float32)
    assert table(IDS, logits, ("score",), regression.ANSWERS) == "id\tscore\n7\t5.25\n8\t-0.125\n"


def test_a_submission_has_an_index_and_a_prediction():
    assert submission(IDS, ["entailment", "neutral"]) == (
        "index\tprediction\n7\tentailment\n8\tneutral\n"
    )


def test_tasks_are_collected_in_a_zip(tmp_path, capsys):
    path = str(tmp_path / "glue.zip")
    add_to_zip(path, "RTE.tsv", "old")
    for name in SUBMISSION[:-1]:
        add_to_zip(path, name, name)
    assert f"lacks {SUBMISSION[-1]}: " in capsys.readouterr().err
    add_to_zip(path, SUBMISSION[-1], SUBMISSION[-1])
    assert "has all that GLUE takes" in capsys.readouterr().err

    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == sorted(SUBMISSION)
        assert all(archive.read(name) == name.encode() for name in SUBMISSION)


def test_the_same_answers_make_the_same_zip(tmp_path):
    for name in ("a.zip", "b.zip"):
        add_to_zip(str(tmp_path / name), "RTE.tsv", "index\tprediction\n")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_another_file_is_not_overwritten(tmp_path):
    path = tmp_path / "glue.zip"
    path.write_text("no zip")
    with pytest.raises(InputError, match="--glue_submission.*glue.zip"):
        add_to_zip(str(path), "RTE.tsv", "")
    assert path.read_text() == "no zip"
