import numpy as np
import tensorflow as tf

from bert_keras.objectives.masked_lm import masked_lm
from bert_keras.objectives.next_sentence import next_sentence
from bert_keras.objectives.pretraining import LOSSES, pretraining
from tests import golden_model


def test_losses_are_among_the_means():
    outputs = golden_model.model()(golden_model.inputs())
    assert set(LOSSES) < set(pretraining(outputs, golden_model.features()))


def test_uniform_logits_cost_the_logarithm_of_the_vocabulary():
    means = masked_lm(tf.zeros([2, 3, 50]), tf.zeros([2, 3], tf.int32), tf.ones([2, 3]))
    np.testing.assert_allclose(means["masked_lm_loss"].total, 6 * np.log(50), rtol=1e-6)
    assert means["masked_lm_loss"].count == 6


def test_padded_predictions_count_nothing():
    logits = tf.random.stateless_normal([2, 3, 50], [1, 2])
    ids = tf.constant([[1, 2, 0], [3, 0, 0]])
    weights = tf.constant([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    whole = masked_lm(logits, ids, weights)
    parts = [masked_lm(logits[:1, :2], ids[:1, :2], weights[:1, :2])]
    parts += [masked_lm(logits[1:, :1], ids[1:, :1], weights[1:, :1])]
    for name, mean in whole.items():
        np.testing.assert_allclose(mean.total, sum(p[name].total for p in parts), rtol=1e-6)
        assert mean.count == 3


def test_batch_without_a_masked_position_has_loss_0():
    loss = masked_lm(tf.ones([1, 2, 5]), tf.zeros([1, 2], tf.int32), tf.zeros([1, 2]))
    assert loss["masked_lm_loss"] == (0.0, 0.0)


def test_next_sentence_counts_pairs():
    means = next_sentence(
        tf.constant([[9.0, 0.0], [9.0, 0.0], [0.0, 9.0]]), tf.constant([[0], [1], [1]])
    )
    assert means["next_sentence_accuracy"] == (2.0, 3.0)
    np.testing.assert_allclose(means["next_sentence_loss"].total, 9.00037, rtol=1e-5)


def test_places_without_a_pair_count_nothing():
    logits = tf.constant([[[9.0, 0.0], [5.0, 5.0]], [[9.0, 0.0], [0.0, 9.0]]])
    means = next_sentence(logits, tf.constant([[0, 0], [1, 1]]), tf.constant([[1.0, 0.0], [1, 1]]))
    assert means["next_sentence_accuracy"] == (2.0, 3.0)
    np.testing.assert_allclose(means["next_sentence_loss"].total, 9.00037, rtol=1e-5)


def test_a_batch_without_examples_has_sums_and_counts_of_0():
    """Input workers may get one at the end of an evaluation."""
    empty = {name: values[:0] for name, values in golden_model.features().items()}
    outputs = golden_model.model()({name: empty[name] for name in golden_model.INPUTS})
    assert all(mean == (0.0, 0.0) for mean in pretraining(outputs, empty).values())
