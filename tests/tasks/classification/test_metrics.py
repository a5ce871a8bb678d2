import warnings

import numpy as np
import pytest

from bert_keras.tasks.classification.metrics import scores


def test_f1_is_that_of_the_class_1():
    # 2 of the 3 that are predicted are right, 2 of the 4 that there are are found.
    answers, predicted = list("111100"), list("110010")
    assert scores(["f1"], answers, predicted) == {"f1": pytest.approx(2 * 2 / (3 + 4))}
    assert scores(["f1"], list("00"), list("00")) == {"f1": 0.0}


def test_matthews_correlation_by_its_definition():
    # True positives 3, true negatives 2, false positives 1, false negatives 2.
    answers, predicted = list("11111000"), list("11100100")
    expected = (3 * 2 - 1 * 2) / np.sqrt((3 + 1) * (3 + 2) * (2 + 1) * (2 + 2))
    assert scores(["matthews_correlation"], answers, predicted) == {
        "matthews_correlation": pytest.approx(expected)
    }
    assert scores(["matthews_correlation"], list("10"), list("11")) == {"matthews_correlation": 0.0}


def test_a_class_that_is_never_right_counts_0_for_macro_f1():
    assert scores(["macro_f1"], ["a", "a", "b"], ["a", "a", "a"]) == {
        "macro_f1": pytest.approx((0.8 + 0) / 2)
    }


def test_correlations_of_hand_made_numbers():
    answers, predicted = np.array([1.0, 2, 3]), np.array([1.0, 2, 9])  # around 2 and 4
    found = scores(["spearman", "pearson"], answers, predicted)
    assert found == {"spearman": pytest.approx(1.0), "pearson": pytest.approx(8 / np.sqrt(2 * 38))}


@pytest.mark.parametrize(
    ("names", "answers", "predicted"),
    [
        (["spearman", "pearson"], np.array([1.0, 1, 1]), np.array([1.0, 2, 3])),
        (["spearman", "pearson"], np.array([1.0, 2, 3]), np.array([2.5, 2.5, 2.5])),
        (["spearman", "pearson"], np.array([1.0]), np.array([2.0])),
        (["pearson"], np.array([1.0, 2, 3]), np.array([np.inf, 2, 3])),
        (["spearman", "pearson"], np.array([1.0, 2, 3]), np.array([np.nan, 2, 3])),
        (["f1", "matthews_correlation"], list("00"), list("00")),
        (["micro_f1"], np.zeros([3, 2], int), np.zeros([3, 2], int)),
    ],
)
def test_what_is_not_defined_is_0_without_a_warning(names, answers, predicted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scores(names, answers, predicted) == dict.fromkeys(names, 0.0)


def test_as_many_classes_as_texts_make_no_warning():
    classes = [str(number) for number in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = ["accuracy", "macro_f1", "matthews_correlation"]
        assert scores(names, classes, classes) == dict.fromkeys(names, pytest.approx(1.0))
