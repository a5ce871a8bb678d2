"""Answers that use no context, computed by hand."""

import numpy as np
import pytest

from bert_keras.pretraining import baselines


def test_the_unigram_loss_is_that_of_frequencies():
    """Counts 3 and 1 of 4 ids, with one added: frequencies 4/8, 2/8, 1/8, 1/8."""
    loss = baselines.unigram_loss([0, 0, 1, 0], [0, 1, 2], vocab_size=4)
    assert loss == pytest.approx(-np.log([4 / 8, 2 / 8, 1 / 8]).mean())


def test_the_most_frequent_id_is_always_given():
    assert baselines.unigram_accuracy([5, 7, 7], [7, 5, 7, 9]) == 0.5


def test_the_majority_is_that_of_the_labels():
    assert baselines.majority_share([0, 1, 1, 1]) == 0.75


def entropy(probs):
    return -np.sum(probs * np.log(probs))


def test_the_entropy_of_many_words_is_that_of_their_distribution():
    probs = 1 / np.arange(1, 2001)  # Zipf's law
    probs /= probs.sum()
    words = np.random.default_rng(0).choice(2000, 50_000, p=probs)
    assert baselines.unigram_entropy(words) == pytest.approx(entropy(probs), abs=0.01)
    _, counts = np.unique(words, return_counts=True)
    uncorrected = entropy(counts / counts.sum())
    assert uncorrected < entropy(probs) - 0.01


def test_no_words_have_no_entropy():
    assert baselines.unigram_entropy(np.zeros(0, np.int32)) == 0
