import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from bert_keras.errors import InputError
from bert_keras.tasks.classification import single_label
from bert_keras.tasks.classification.reading import Example

LABELS = ("red", "amber", "green")


def examples(answers):
    return [
        Example(str(row), "text", None, answer, f"dev.tsv, line {row + 2}")
        for row, answer in enumerate(answers)
    ]


def logits_of(predicted, labels=LABELS):
    return np.eye(len(labels), dtype=np.float32)[[labels.index(name) for name in predicted]]


def test_labels_are_numbered_in_their_order_and_named_sorted():
    rows = examples(["green", "red", "green"])
    assert single_label.encode(rows, LABELS)["label_ids"].tolist() == [2, 0, 2]
    assert single_label.encode(rows, LABELS)["label_ids"].dtype == np.int32
    assert single_label.names(rows) == ("green", "red")


def test_what_is_learned_is_shown():
    assert single_label.describe(examples(["no", "yes", "no"])) == "labels: 'no': 2, 'yes': 1"
    assert single_label.describe(examples(["0.5", "1.25"])).endswith(
        "there is --problem_type=regression"
    )
    many = single_label.describe(examples([str(number) for number in range(25)]))
    assert many.endswith(" and 5 more")


def test_an_unknown_label_is_refused_by_file_line_value_and_what_is_allowed():
    with pytest.raises(InputError, match="dev.tsv, line 3: .*red, amber, green.*'maybe'"):
        single_label.encode(examples(["red", "maybe"]), LABELS)


def test_scores_are_those_of_scikit_learn():
    answers, predicted = ["red", "green", "red", "amber"], ["red", "green", "green", "red"]

    scores = single_label.score(
        logits_of(predicted),
        examples(answers),
        LABELS,
        ("accuracy", "macro_f1", "matthews_correlation"),
    )

    assert scores == {
        "accuracy": accuracy_score(answers, predicted),
        "macro_f1": f1_score(answers, predicted, average="macro", zero_division=0),
        "matthews_correlation": pytest.approx(matthews_corrcoef(answers, predicted)),
    }


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_a_perfect_model_scores_1_whatever_the_order_of_its_outputs(order):
    labels = tuple(LABELS[index] for index in order)
    answers = ["red", "green", "amber", "amber"]
    scores = single_label.score(
        logits_of(answers, labels), examples(answers), labels, ("accuracy",)
    )
    assert scores == {"accuracy": 1.0}


def test_a_collapsed_model_is_said_to_be_one(capsys):
    rows = examples(["red", "green", "red"])
    single_label.score(logits_of(["red"] * 3), rows, LABELS, ("accuracy",))
    assert "collapsed: all 3 predictions are 'red'" in capsys.readouterr().err

    single_label.score(logits_of(["red", "green", "green"]), rows, LABELS, ("accuracy",))
    single_label.score(logits_of(["red"]), rows[:1], LABELS, ("accuracy",))
    assert "collapsed" not in capsys.readouterr().err


def test_probabilities_add_up_to_1_and_large_logits_do_no_harm():
    probabilities = single_label.probabilities(np.array([[1e4, 0], [0, 0]], np.float32))
    np.testing.assert_allclose(probabilities, [[1, 0], [0.5, 0.5]])
