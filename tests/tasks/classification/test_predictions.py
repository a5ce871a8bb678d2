import io
import zipfile

import numpy as np

from bert_keras.tasks.classification import multi_label, regression, single_label
from bert_keras.tasks.classification.glue import SUBMISSION
from bert_keras.tasks.classification.predictions import submission, table, zip_with

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


def test_tasks_are_collected_in_a_zip():
    archive, _ = zip_with(b"", "RTE.tsv", "old")
    for number, name in enumerate(SUBMISSION, start=1):
        archive, missing = zip_with(archive, name, name)
        assert set(missing) == {*SUBMISSION[number:]} - {"RTE.tsv"}
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        assert sorted(file.namelist()) == sorted(SUBMISSION)
        assert all(file.read(name) == name.encode() for name in SUBMISSION)


def test_the_same_answers_make_the_same_zip():
    one, other = (zip_with(b"", "RTE.tsv", "index\tprediction\n") for _ in range(2))
    assert one == other
