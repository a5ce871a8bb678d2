import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from bert_keras.errors import InputError
from bert_keras.tasks.classification import multi_label
from bert_keras.tasks.classification.reading import Example
from bert_keras.tasks.tables import Row

LABELS = ("rain", "sun", "wind")


def row(**values):
    return Row("train.csv", 5, values)


def examples(*answers):
    return [Example("", "text", None, answer, "train.csv, line 5") for answer in answers]


@pytest.mark.parametrize(
    "value, labels",
    [
        ("wind, rain", ("wind", "rain")),
        ("rain", ("rain",)),
        ('wind, "rain, heavy",5" snow', ("wind", "rain, heavy", '5" snow')),
        ("", ()),
        (["rain", "a, b", 3], ("rain", "a, b", "3")),
        ([], ()),
    ],
)
def test_labels_of_a_cell_or_a_list(value, labels):
    assert multi_label.read(row(labels=value), ("labels",)) == labels


def test_a_quotation_mark_without_its_other_half_is_refused():
    with pytest.raises(InputError, match="train.csv, line 5: commas part.*'rain, \"wind'"):
        multi_label.read(row(labels='rain, "wind'), ("labels",))


@pytest.mark.parametrize("name", ["", " ", "a\tb", "a\nb", "a\u2028b", None, ["rain"]])
def test_a_name_in_a_list_that_no_cell_can_hold_is_refused_by_its_place(name):
    with pytest.raises(InputError, match="train.csv, line 5: .*Received: "):
        multi_label.read(row(labels=["rain", name]), ("labels",))


names = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)


@given(st.sets(names.map(str.strip).filter(bool), max_size=4))
def test_predictions_are_read_back(labels):
    labels = tuple(labels)
    [cell] = multi_label.predict(np.ones([1, len(labels)]), labels)
    assert multi_label.read(row(labels=cell), ("labels",)) == labels


def test_several_columns_hold_a_mark_for_each_label():
    marks = row(rain="1", sun="0", wind=True)
    assert multi_label.read(marks, LABELS) == ("rain", "wind")
    with pytest.raises(InputError, match="train.csv, line 5: the column 'sun' .*'yes'"):
        multi_label.read(row(rain="1", sun="yes", wind="0"), LABELS)


def test_marks_of_the_labels():
    found = multi_label.encode(examples(("wind", "rain"), ()), LABELS)["label_marks"]
    assert found.tolist() == [[1, 0, 1], [0, 0, 0]] and found.dtype == np.float32
    with pytest.raises(InputError, match="train.csv, line 5: .*rain, sun, wind.*'snow'"):
        multi_label.encode(examples(("snow",)), LABELS)


def test_what_is_learned_is_shown():
    assert multi_label.describe(examples(("b",), (), ("a", "b"))) == "labels: 'b': 2, 'a': 1"


def test_names_are_sorted():
    assert multi_label.names(examples(("wind", "rain"), (), ("rain",))) == ("rain", "wind")


def test_scores_are_those_of_scikit_learn():
    rows = examples(("rain",), ("rain", "sun"), ())
    logits = np.array([[2.0, -1, -1], [1, -1, 1], [-1, -1, -1]], np.float32)
    answers = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]

    scores = multi_label.score(logits, rows, LABELS, multi_label.ANSWERS.metrics)

    assert scores == {
        "micro_f1": f1_score(answers, logits > 0, average="micro"),
        "exact_match": pytest.approx(2 / 3),
    }


def test_a_collapsed_model_is_said_to_be_one(capsys):
    logits = np.full([2, 3], -1.0)
    multi_label.score(logits, examples(("rain",), ()), LABELS, ("micro_f1",))
    assert "collapsed: all 2 predictions are ''" in capsys.readouterr().err


def test_the_prediction_is_every_label_of_at_least_one_half():
    logits = np.array([[0.0, 3.0, -0.1], [-1, -1, -1]])
    assert multi_label.predict(logits, LABELS) == ["rain,sun", ""]
    np.testing.assert_allclose(multi_label.probabilities(logits)[0, 0], 0.5)
