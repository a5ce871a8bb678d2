import numpy as np
import tensorflow as tf
from scipy.special import log_softmax
from sklearn.metrics import accuracy_score, log_loss

from bert_keras.objectives.classification import ACCURACIES, LOSSES, classification


def logits_and_labels(num_examples=6, num_labels=3):
    rng = np.random.default_rng(1)
    logits = rng.normal(size=[num_examples, num_labels]).astype(np.float32)
    return logits, rng.integers(num_labels, size=num_examples).astype(np.int32)


def means(logits, labels, weights):
    features = {
        "label_ids": tf.constant(labels),
        "example_weights": tf.constant(weights, tf.float32),
    }
    return classification({"logits": tf.constant(logits)}, features)


def test_loss_and_accuracy_are_those_of_scikit_learn():
    logits, labels = logits_and_labels()

    found = means(logits, labels, np.ones(6))

    probabilities = np.exp(log_softmax(logits.astype(np.float64), axis=-1))
    expected = 6 * log_loss(labels, probabilities, labels=[0, 1, 2])
    np.testing.assert_allclose(found["classification_loss"].total, expected, rtol=1e-6)
    assert found["classification_accuracy"].total == 6 * accuracy_score(labels, logits.argmax(-1))
    assert {mean.count.numpy() for mean in found.values()} == {6}


def test_rows_that_fill_up_a_batch_count_nothing():
    logits, labels = logits_and_labels()
    filled = means(np.pad(logits, [(0, 2), (0, 0)]), np.pad(labels, (0, 2)), [1] * 6 + [0] * 2)

    for name, mean in means(logits, labels, np.ones(6)).items():
        np.testing.assert_allclose(filled[name], mean, rtol=1e-6)


def test_logits_of_bfloat16_are_scored_in_float32():
    logits, labels = logits_and_labels()

    found = means(tf.cast(logits, tf.bfloat16), labels, np.ones(6))

    assert found["classification_loss"].total.dtype == tf.float32


def test_the_loss_and_the_accuracies_are_among_the_means():
    assert {*LOSSES, *ACCURACIES} == set(means(*logits_and_labels(), np.ones(6)))
