"""What Keras learns from batches of examples."""

import numpy as np
import pytest

from bert_keras.data.encoded import EncodedExamples
from bert_keras.data.fit import for_fit
from bert_keras.data.length_batches import longest_first_batches
from bert_keras.errors import InputError


def test_inputs_labels_and_weights_are_told_apart():
    ids = [np.array([2, 9, 3], np.int32)] * 3
    examples = EncodedExamples.of_sequences(ids, values={"label_ids": np.array([1, 0, 1])})
    batches = list(longest_first_batches(examples, 2).map(for_fit).as_numpy_iterator())
    inputs, labels, weights = batches[-1]
    assert [*inputs] == ["input_ids", "input_mask", "segment_ids"]
    assert inputs["input_ids"].tolist()[0] == [2, 9, 3]
    assert labels["logits"].tolist() == [1, 0]
    assert weights["logits"].tolist() == [1, 0]  # the second row fills the batch up


def test_without_labels_there_is_nothing_to_fit():
    examples = EncodedExamples.of_sequences([np.array([2, 3], np.int32)])
    with pytest.raises(InputError, match="fit needs labels: .*New texts are answered by"):
        longest_first_batches(examples, 1).map(for_fit)
