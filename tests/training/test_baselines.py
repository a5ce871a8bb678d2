"""Answers that use no context, computed by hand."""

import numpy as np
import pytest

from bert_keras.training import baselines


def test_the_unigram_loss_is_that_of_frequencies():
    """Counts 3 and 1 of 4 ids, with one added: frequencies 4/8, 2/8, 1/8, 1/8."""
    loss = baselines.unigram_loss([0, 0, 1, 0], [0, 1, 2], vocab_size=4)
    assert loss == pytest.approx(-np.log([4 / 8, 2 / 8, 1 / 8]).mean())


def test_the_most_frequent_id_is_always_given():
    assert baselines.unigram_accuracy([5, 7, 7], [7, 5, 7, 9]) == 0.5


def test_the_majority_is_that_of_the_labels():
    assert baselines.majority_share([0, 1, 1, 1]) == 0.75
