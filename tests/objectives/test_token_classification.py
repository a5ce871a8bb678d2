import numpy as np
import tensorflow as tf
from scipy.special import log_softmax
from sklearn.metrics import accuracy_score, log_loss

from bert_keras.objectives.token_classification import ACCURACIES, LOSSES, token_classification

LENGTH = 16


def batch(num_examples=4, num_labels=3):
    """Random logits and labels, of which every third position counts."""
    rng = np.random.default_rng(1)
    features = {
        "label_ids": rng.integers(num_labels, size=[num_examples, LENGTH]).astype(np.int32),
        "label_weights": np.tile(np.arange(LENGTH) % 3 == 1, [num_examples, 1]).astype(np.float32),
        "example_weights": np.ones(num_examples, np.float32),
    }
    return rng.normal(size=[num_examples, LENGTH, num_labels]).astype(np.float32), features


def means(logits, features):
    return token_classification({"logits": tf.constant(logits)}, features)


def test_loss_and_accuracy_are_those_of_scikit_learn_at_the_labeled_positions():
    logits, features = batch()
    found = means(logits, features)
    counts = features["label_weights"] == 1
    labels, rows = features["label_ids"][counts], logits[counts].astype(np.float64)
    expected = log_loss(labels, np.exp(log_softmax(rows, axis=-1)), labels=[0, 1, 2])
    loss, accuracy = found.values()
    np.testing.assert_allclose(loss.total / loss.count, expected, rtol=1e-6)
    np.testing.assert_allclose(
        accuracy.total / accuracy.count, accuracy_score(labels, rows.argmax(-1)), rtol=1e-6
    )
    assert loss.count == accuracy.count == 4 * 5


def test_three_words_of_which_one_has_three_pieces_count_three_times():
    """google-research/bert#560: padding has the number of a label, and counts nothing."""
    features = {
        "label_ids": np.zeros([1, LENGTH], np.int32),
        "label_weights": np.zeros([1, LENGTH], np.float32),
        "example_weights": np.ones(1, np.float32),
    }
    features["label_weights"][0, [1, 2, 5]] = 1
    found = means(np.zeros([1, LENGTH, 3], np.float32), features)
    np.testing.assert_allclose(found["token_classification_loss"].total, 3 * np.log(3), rtol=1e-6)
    assert {float(mean.count) for mean in found.values()} == {3.0}


def test_rows_that_fill_up_a_batch_count_nothing():
    logits, features = batch()
    filled = features | {"example_weights": np.array([1, 1, 0, 0], np.float32)}
    part = {name: values[:2] for name, values in features.items()}
    for ours, theirs in zip(
        means(logits, filled).values(), means(logits[:2], part).values(), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_what_is_divided_by_is_known_before_the_model_has_run():
    logits, features = batch()
    features["example_weights"][1] = 0
    found = means(logits, features)
    assert {*LOSSES, *ACCURACIES} == set(found)
    for name, loss in LOSSES.items():
        assert loss.count(features) == found[name].count == 15


def test_logits_of_bfloat16_are_scored_in_float32():
    logits, features = batch()
    found = means(tf.cast(logits, tf.bfloat16), features)
    assert found["token_classification_loss"].total.dtype == tf.float32
