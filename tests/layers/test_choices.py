import keras
import numpy as np
import pytest

from bert_keras.layers.choices import JoinChoices, SplitChoices

IDS = np.arange(24).reshape(2, 3, 4)


def test_choices_of_one_example_follow_each_other():
    np.testing.assert_array_equal(JoinChoices()(IDS), [*IDS[0], *IDS[1]])


def test_scores_come_back_to_their_examples():
    scores = np.arange(6, dtype=np.float32).reshape(6, 1)
    np.testing.assert_array_equal(SplitChoices()(scores, IDS), [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("choices", [None, 3])
def test_shapes_are_known_as_far_as_can_be(batch, choices):
    ids = keras.KerasTensor((batch, choices, 4), "int32")
    rows = JoinChoices()(ids)
    assert rows.shape == (6 if batch and choices else None, 4)
    assert rows.dtype == "int32"
    scores = keras.KerasTensor((rows.shape[0], 1), "float32")
    assert SplitChoices()(scores, ids).shape == (batch, choices)
