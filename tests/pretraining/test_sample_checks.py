"""The first records of a run: ids that the model knows, labels that can teach."""

import re

import numpy as np
import pytest

from bert_keras.config import BertConfig
from bert_keras.data.sampling import Sample
from bert_keras.errors import InputError
from bert_keras.pretraining import sample_checks

CONFIG = BertConfig.named("tiny", vocab_size=100)


def sample_with(**ranges):
    usual = {"input_ids": (0, 99), "segment_ids": (0, 1), "masked_lm_ids": (0, 99)}
    empty = np.zeros(0, np.int32)
    return Sample({"a": usual, "b": usual | ranges}, empty, empty)


def test_ids_that_the_model_knows():
    sample_checks.check_sample(sample_with(), CONFIG)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        (
            {"input_ids": (0, 100)},
            "less than vocab_size=100 .* Received: input_ids from 0 to 100 in b",
        ),
        (
            {"masked_lm_ids": (0, 120)},
            "less than vocab_size=100 .* masked_lm_ids from 0 to 120 in b",
        ),
        ({"input_ids": (-1, 5)}, "at least 0 .* Received: input_ids from -1 to 5 in b"),
        (
            {"segment_ids": (0, 2)},
            "less than type_vocab_size=2 .* Received: segment_ids from 0 to 2 in b",
        ),
    ],
)
def test_ids_that_the_model_does_not_know(ranges, message):
    with pytest.raises(InputError, match=message):
        sample_checks.check_sample(sample_with(**ranges), CONFIG)


@pytest.mark.parametrize(
    ("num_zeros", "num_ones", "messages"),
    [
        (50, 50, []),
        (44, 56, []),
        (31, 0, []),  # so few may all be equal by chance
        (10, 90, []),
        (100, 0, ["teaches nothing: the first 100 records all have the label 0. .*--pairs=none"]),
        (5, 95, ["teaches little: 95% of the first 100 records have the label 1"]),
    ],
)
def test_the_balance_of_labels(num_zeros, num_ones, messages):
    notices = sample_checks.label_notices(np.repeat([0, 1], [num_zeros, num_ones]))
    assert len(notices) == len(messages)
    for notice, message in zip(notices, messages, strict=True):
        assert re.search(message, notice)
