import numpy as np
import tensorflow as tf
from scipy.special import log_softmax

from bert_keras.objectives.span import ACCURACIES, LOSSES, span

RANDOM = np.random.default_rng(0)
OUTPUTS = {name: RANDOM.normal(size=[3, 5]) for name in ("start_logits", "end_logits")}
OUTPUTS = {name: tf.constant(values, tf.float32) for name, values in OUTPUTS.items()}


def features(starts, ends, weights):
    return {
        "start_positions": tf.constant(starts),
        "end_positions": tf.constant(ends),
        "example_weights": tf.constant(weights, tf.float32),
    }


def test_the_loss_is_the_mean_of_both_ends():
    starts, ends = [1, 0, 4], [2, 0, 4]
    means = span(OUTPUTS, features(starts, ends, [1, 1, 1]))
    log_probs = [log_softmax(OUTPUTS[f"{end}_logits"], axis=-1) for end in ("start", "end")]
    expected = [-p[range(3), t] for p, t in zip(log_probs, (starts, ends), strict=True)]
    np.testing.assert_allclose(means["span_loss"].total, np.sum(expected) / 2, rtol=1e-6)
    assert means["span_loss"].count == 3
    assert {*means} == {*LOSSES, *ACCURACIES}


def test_rows_that_fill_up_a_batch_count_nothing():
    whole = span(OUTPUTS, features([1, 0, 0], [2, 0, 0], [1, 1, 0]))
    part = span(
        {name: logits[:2] for name, logits in OUTPUTS.items()}, features([1, 0], [2, 0], [1, 1])
    )
    for name, mean in whole.items():
        np.testing.assert_allclose(mean, part[name], rtol=1e-6)


def test_accuracies_compare_the_largest_logit():
    outputs = dict.fromkeys(OUTPUTS, tf.constant([[0.0, 2, 1], [3, 0, 0]]))
    means = span(outputs, features([1, 1], [2, 0], [1, 1]))
    assert means["start_accuracy"] == (1, 2)
    assert means["end_accuracy"] == (1, 2)


def test_a_position_outside_costs_nothing():
    """As in the original, whose targets are one-hot."""
    assert span(OUTPUTS, features([5, -1, 9], [5, -1, 9], [1, 1, 1]))["span_loss"].total == 0
