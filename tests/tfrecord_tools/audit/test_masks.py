"""Shares of [MASK], kept and random tokens against draws whose distribution is known."""

import numpy as np
import pytest

from tests.tfrecord_tools.audit.hand_made import TOKENS, A, token_ids
from tfrecord_tools.audit.masks import Masks
from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.restoration import restore

NUM_RECORDS, NUM_PREDICTIONS = 20_000, 20
SHARES = (0.8, 0.1, 0.1)


def drawn(ids, rng, shares=SHARES, num_together=1, random_ids=None):
    """A batch in which every token is predicted; `num_together` neighbors share the dice."""
    shape = NUM_RECORDS, NUM_PREDICTIONS
    labels = rng.integers(A, len(TOKENS), shape)
    dice = rng.random((NUM_RECORDS, NUM_PREDICTIONS // num_together)).repeat(num_together, axis=1)
    of_vocabulary = rng.integers(0, len(TOKENS), shape) if random_ids is None else random_ids
    mask, keep, _ = np.cumsum(shares)
    shown = np.where(dice < mask, ids.mask, np.where(dice < keep, labels, of_vocabulary))
    features = {
        "input_ids": shown,
        "input_mask": np.ones(shape, np.int64),
        "segment_ids": np.zeros(shape, np.int64),
        "masked_lm_positions": np.broadcast_to(np.arange(NUM_PREDICTIONS), shape),
        "masked_lm_ids": labels,
        "masked_lm_weights": np.ones(shape, np.float32),
    }
    return Batch("file", np.arange(NUM_RECORDS), np.zeros(NUM_RECORDS, np.uint64), features)


def measured(tmp_path, expected=SHARES, **how):
    ids = token_ids(tmp_path)
    masks = Masks(ids, expected)
    batch = drawn(ids, np.random.default_rng(1), **how)
    for half in (np.arange(NUM_RECORDS) < 5_000, np.arange(NUM_RECORDS) >= 5_000):
        masks.add(batch.where(half), restore(batch.where(half)))
    values = masks.values()
    return values, masks.findings(values)


def test_draws_of_the_paper_are_no_finding(tmp_path):
    values, findings = measured(tmp_path)
    assert findings == []
    num, chance = NUM_RECORDS * NUM_PREDICTIONS, 0.1 / len(TOKENS)
    error = np.sqrt(0.8 * 0.2 / num)  # of independent throws
    sigmas = (values["mask_share"] - 0.8 - chance) / error
    assert values["mask_sigmas"] == pytest.approx(sigmas, rel=0.05)
    assert sum(values["mask_histogram"]) == num


@pytest.mark.parametrize("shares", [(0.79, 0.105, 0.105), (1.0, 0, 0), (0.8, 0.2, 0)])
def test_other_shares_are_a_finding(shares, tmp_path):
    _, findings = measured(tmp_path, shares=shares)
    assert "expected" in findings[0]


def test_other_shares_that_were_asked_for_are_none(tmp_path):
    shares = (0.6, 0.2, 0.2)
    assert measured(tmp_path, shares=shares, expected=shares)[1] == []


def test_neighbors_that_share_the_dice_are_no_finding(tmp_path):
    """Independent throws would have a third of the standard error."""
    values, findings = measured(tmp_path, num_together=10)
    assert findings == []
    one_by_one, _ = measured(tmp_path)
    ratio = [
        values["mask_sigmas"] / (values["mask_share"] - 0.8 - 0.1 / len(TOKENS)),
        one_by_one["mask_sigmas"] / (one_by_one["mask_share"] - 0.8 - 0.1 / len(TOKENS)),
    ]
    assert ratio[1] / ratio[0] == pytest.approx(np.sqrt(10), rel=0.05)


def test_uneven_random_tokens_are_a_finding(tmp_path):
    rng = np.random.default_rng(2)
    shape = NUM_RECORDS, NUM_PREDICTIONS
    unfair = np.minimum(rng.integers(0, len(TOKENS) + 1, shape), len(TOKENS) - 1)  # the last twice
    _, findings = measured(tmp_path, random_ids=unfair)
    (finding,) = [finding for finding in findings if "evenly" in finding]
    assert TOKENS[-1] in finding
