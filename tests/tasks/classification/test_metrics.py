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
