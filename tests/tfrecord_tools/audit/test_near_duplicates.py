"""Near repeats against the similarity of all pairs."""

import itertools

import numpy as np
import pytest

from tests.tfrecord_tools.audit.hand_made import CLS, SEP
from tfrecord_tools.audit import near_duplicates
from tfrecord_tools.audit.near_duplicates import RUN_LENGTH, NearDuplicates
from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.restoration import restore

LENGTH = 128
NUM_FAMILIES = 200


def texts_of_families(rng, num_changes):
    """Pairs of texts, of which the second has some tokens changed, in random order."""
    originals = rng.integers(10, 20_000, (NUM_FAMILIES, LENGTH))
    changed = originals.copy()
    for row, count in enumerate(num_changes):
        places = rng.choice(np.arange(1, LENGTH - 1), count, replace=False)
        changed[row, places] = rng.integers(10, 20_000, count)
    texts = np.concatenate([originals, changed])
    texts[:, 0], texts[:, -1] = CLS, SEP
    return texts[rng.permutation(len(texts))]


def batch_of(tokens):
    shape = tokens.shape
    features = {
        "input_ids": tokens,
        "input_mask": (tokens > 0).astype(np.int64),
        "segment_ids": np.zeros(shape, np.int64),
    }
    return Batch("file", np.arange(shape[0]), np.zeros(shape[0], np.uint64), features)


def measured(tokens):
    measure = NearDuplicates()
    for rows in np.array_split(tokens, 3):
        measure.add(batch_of(rows), restore(batch_of(rows)))
    return measure.values()


def true_similarities(tokens):
    """The greatest Jaccard similarity of each text with another."""
    runs = [
        {tuple(text[start : start + RUN_LENGTH]) for start in range(LENGTH - RUN_LENGTH + 1)}
        for text in tokens.tolist()
    ]
    greatest = np.zeros(len(tokens))
    for left, right in itertools.combinations(range(len(tokens)), 2):
        similarity = len(runs[left] & runs[right]) / len(runs[left] | runs[right])
        greatest[[left, right]] = np.maximum(greatest[[left, right]], similarity)
    return greatest


def test_near_texts_are_found_and_others_are_not():
    rng = np.random.default_rng(1)
    tokens = texts_of_families(rng, rng.choice([1, 12, 40], NUM_FAMILIES))
    greatest = true_similarities(tokens)
    assert not np.any((greatest > 0.6) & (greatest < 0.9))  # so that the estimate decides
    values = measured(tokens)
    assert values["num_texts_compared"] == 2 * NUM_FAMILIES
    assert values["near_duplicate_share"] == pytest.approx((greatest >= 0.8).mean(), abs=0.03)


def test_equal_texts_are_no_near_ones():
    tokens = texts_of_families(np.random.default_rng(2), [0] * NUM_FAMILIES)
    values = measured(tokens)
    assert values == {"num_texts_compared": NUM_FAMILIES, "near_duplicate_share": 0}


def test_padding_is_no_likeness():
    tokens = texts_of_families(np.random.default_rng(3), [LENGTH - 2] * NUM_FAMILIES)
    tokens[:, 8:] = 0
    tokens[:, 7] = SEP
    assert measured(tokens)["near_duplicate_share"] == 0


def test_a_sample_keeps_most_near_pairs_together(monkeypatch):
    monkeypatch.setattr(near_duplicates, "MAX_TEXTS", 100)
    tokens = texts_of_families(np.random.default_rng(4), [1] * NUM_FAMILIES)
    values = measured(tokens)
    assert 30 < values["num_texts_compared"] <= 100
    assert values["near_duplicate_share"] > 0.7  # 0.92 expected; of a sample of records 0.25


def test_texts_shorter_than_a_run():
    assert measured(np.array([[CLS, 7, SEP, 0], [CLS, 8, SEP, 0], [CLS, 9, SEP, 0]])) == {
        "num_texts_compared": 3,
        "near_duplicate_share": 0,
    }
