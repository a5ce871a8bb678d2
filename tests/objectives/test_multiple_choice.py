import numpy as np
import tensorflow as tf
from sklearn.metrics import accuracy_score, log_loss

from bert_keras.objectives.multiple_choice import multiple_choice

LOGITS = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
LABELS = np.array([0, 3, 1, 2, 0], np.int32)
NUM_CHOICES = np.array([4, 4, 2, 3, 4])  # of each example


def features(labels=LABELS, num_choices=NUM_CHOICES, weights=1.0):
    mask = np.arange(4) < num_choices[:, np.newaxis]  # [B, C]
    return {
        "input_mask": tf.constant(np.repeat(mask[..., np.newaxis], 6, axis=-1), tf.int32),
        "label_ids": tf.constant(labels),
        "example_weights": tf.broadcast_to(tf.constant(weights), labels.shape),
    }


def means(logits, features):
    found = multiple_choice({"logits": tf.constant(logits)}, features)
    return {name: float(total / count) for name, (total, count) in found.items()}


def test_four_choices_are_scored_as_scikit_learn_scores_four_classes():
    found = means(LOGITS, features(num_choices=np.full(5, 4)))
    probs = tf.nn.softmax(LOGITS).numpy()
    np.testing.assert_allclose(
        found["classification_loss"], log_loss(LABELS, probs, labels=range(4)), rtol=1e-5
    )
    expected = accuracy_score(LABELS, LOGITS.argmax(axis=-1))
    np.testing.assert_allclose(found["classification_accuracy"], expected, rtol=1e-6)


def test_uniform_logits_cost_the_logarithm_of_the_choices_that_an_example_has():
    found = means(np.zeros([5, 4], np.float32), features())
    np.testing.assert_allclose(found["classification_loss"], np.log(NUM_CHOICES).mean(), rtol=1e-6)


def test_missing_choices_neither_win_nor_learn():
    logits = tf.constant(np.where(np.arange(4) < NUM_CHOICES[:, np.newaxis], LOGITS, 1e9))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        found = multiple_choice({"logits": logits}, features())
    gradient = tape.gradient(found["classification_loss"].total, logits).numpy()
    np.testing.assert_array_equal(gradient != 0, np.arange(4) < NUM_CHOICES[:, np.newaxis])
    other = means(np.where(logits == 1e9, -5, logits).astype(np.float32), features())
    assert {name: float(total / count) for name, (total, count) in found.items()} == other


def test_rows_that_fill_up_a_batch_count_nothing():
    """They have no choice at all."""
    filled = np.concatenate([LOGITS, np.ones([2, 4], np.float32)])
    weights = np.array([1, 1, 1, 1, 1, 0, 0], np.float32)
    labels, num_choices = (np.append(values, [0, 0]) for values in (LABELS, NUM_CHOICES))
    found = means(filled, features(labels.astype(np.int32), num_choices, weights))
    for name, value in means(LOGITS, features()).items():
        np.testing.assert_allclose(found[name], value, rtol=1e-6)
