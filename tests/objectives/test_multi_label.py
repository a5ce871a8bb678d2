import numpy as np
import tensorflow as tf
from scipy.special import expit
from sklearn.metrics import accuracy_score, log_loss

from bert_keras.objectives.multi_label import ACCURACIES, LOSSES, multi_label


def test_loss_and_exact_matches_are_those_of_scikit_learn_and_filling_rows_count_nothing():
    rng = np.random.default_rng(2)
    logits = rng.normal(size=[7, 3]).astype(np.float32)
    marks = rng.integers(2, size=[7, 3]).astype(np.float32)
    marks[0] = logits[0] > 0
    weights = np.array([1, 1, 1, 1, 1, 0, 0], np.float32)

    found = multi_label(
        {"logits": tf.constant(logits)},
        {"label_marks": tf.constant(marks), "example_weights": tf.constant(weights)},
    )

    assert {*LOSSES, *ACCURACIES} == set(found)
    expected = 5 * log_loss(marks[:5].ravel(), expit(logits[:5].astype(np.float64)).ravel())
    np.testing.assert_allclose(found["multi_label_loss"].total, expected, rtol=1e-6)
    assert found["exact_match"].total == 5 * accuracy_score(marks[:5], logits[:5] > 0)
    assert found["exact_match"].total >= 1
    assert found["multi_label_loss"].count == found["exact_match"].count == 5
