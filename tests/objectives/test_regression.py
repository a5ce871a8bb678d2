import numpy as np
import tensorflow as tf
from sklearn.metrics import mean_squared_error

from bert_keras.objectives.regression import LOSSES, regression


def test_the_loss_is_the_squared_error_of_scikit_learn_and_filling_rows_count_nothing():
    predicted = np.array([[0.5], [2.0], [5.5], [7.0]], np.float32)
    scores = np.array([1.0, 2.0, 5.0, 0.0], np.float32)
    features = {"scores": tf.constant(scores), "example_weights": tf.constant([1.0, 1.0, 1.0, 0.0])}

    found = regression({"logits": tf.constant(predicted)}, features)

    assert set(found) == set(LOSSES) == {"squared_error"}
    assert found["squared_error"] == (3 * mean_squared_error(scores[:3], predicted[:3, 0]), 3.0)
