"""Masks in the graph are those of numpy; masks of both are spread as the papers say.

Each number is taken over more than a million predicted tokens and may be 3 standard deviations off.
"""

import random

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given

from bert_keras.data import masking as in_graph
from tests.masking_cases import (
    MASK,
    MASKERS,
    MODES,
    VOCAB_SIZE,
    cases,
    features_of,
    first_runs,
    mask_in_graph,
    masked_rows,
    masking,
    million,
    rows_of,
)
from tfrecord_tools.bucketed import masking as in_numpy
from tfrecord_tools.single_stream.static_masking import StaticMasking, mask_tokens

every_mode = pytest.mark.parametrize("mode", MODES)
both = pytest.mark.parametrize(
    "implementation",
    [pytest.param(name, marks=pytest.mark.slow) for name in ("numpy", "graph")],
)


@given(cases())
def test_the_graph_makes_the_masks_of_numpy_from_the_same_draws(case):
    rows, case_masking, draws = case
    expected = in_numpy.hide(rows, case_masking, draws)
    features = in_graph.hide(
        features_of(rows), case_masking, in_graph.Draws(*map(tf.constant, draws))
    )
    for name, values in masked_rows(features)._asdict().items():
        np.testing.assert_array_equal(values, getattr(expected, name), err_msg=name)
    unchanged = ("input_mask", "segment_ids", "next_sentence_labels")
    for name in unchanged:
        np.testing.assert_array_equal(features[name], features_of(rows)[name])


@every_mode
def test_special_tokens_and_padding_are_never_predicted(mode):
    rows = rows_of("|wwc|w|....", "|||........", "...........", num_rows=400)
    masked = mask_in_graph(rows, masking(mode, masked_lm_prob=0.5))
    columns = np.arange(masked.positions.shape[1])
    is_prediction = columns < masked.num_predictions[:, None]
    assert np.all(np.take_along_axis(rows.is_candidate, masked.positions, 1)[is_prediction])
    assert masked.num_predictions[:400].min() > 0
    assert not masked.num_predictions[400:].any()
    np.testing.assert_array_equal(masked.tokens[400:], rows.tokens[400:])


def is_near(samples, expected):
    """Whether the mean of independent samples is at most 3 standard deviations off."""
    samples = np.asarray(samples, np.float64)
    return abs(samples.mean() - expected) <= 3 * samples.std() / np.sqrt(len(samples))


def is_even(counts, shares=None, correlation=1.0):
    """Pearson's test: whether counts are shared out as `shares`, or evenly, within 3 deviations."""
    counts = np.asarray(counts, np.float64)
    shares = np.full(len(counts), 1 / len(counts)) if shares is None else np.asarray(shares)
    expected = shares * counts.sum()
    statistic = np.sum((counts - expected) ** 2 / expected) / correlation
    freedom = len(counts) - 1
    return abs(statistic - freedom) <= 3 * np.sqrt(2 * freedom)


def kinds_of(predictions):
    """bool [3, N, P]: what stands at the predictions: [MASK], the token itself, a random one."""
    shown = predictions.shown
    return np.array([shown == MASK, shown == predictions.labels, shown < VOCAB_SIZE])


@both
@every_mode
def test_15_percent_are_predicted(implementation, mode):
    """19 of 128 in every row: a word of one piece fills what a longer one would not fit in."""
    num_predictions = million(implementation, mode).num_predictions
    assert set(num_predictions) == {19}
    assert num_predictions.sum() > 1_000_000


@both
@pytest.mark.parametrize(
    ("mode", "decision"),
    [*((m, "piece") for m in MODES), ("whole_word", "word"), ("ngram", "word")],
)
def test_8_in_10_become_mask_1_stays_and_1_is_random(implementation, mode, decision):
    """Rows are independent, the pieces of a span are not: the deviation is that of rows."""
    shares = kinds_of(million(implementation, mode, decision)).mean(axis=2)  # [3, N]
    assert np.all(np.isclose(shares.sum(axis=0), 1))
    for samples, expected in zip(shares, (0.8, 0.1, 0.1), strict=True):
        assert is_near(samples, expected)


@both
@every_mode
def test_random_tokens_are_of_the_whole_vocabulary(implementation, mode):
    predictions = million(implementation, mode)
    drawn = predictions.shown[kinds_of(predictions)[2]]
    assert is_even(np.bincount(drawn, minlength=VOCAB_SIZE))


@both
def test_single_pieces_are_chosen_evenly(implementation):
    """19 candidates are drawn without putting back, which spreads them more evenly than chance."""
    predictions = million(implementation, "token")
    is_candidate = predictions.row.is_candidate[0]
    counts = np.bincount(predictions.positions.ravel(), minlength=128)
    assert not counts[~is_candidate].any()
    num_candidates = is_candidate.sum()
    correlation = (1 - 19 / num_candidates) * num_candidates / (num_candidates - 1)
    assert is_even(counts[is_candidate], correlation=correlation)


@both
def test_whole_words_are_chosen_as_by_the_original(implementation):
    """The share of the longer words, which fit less often, against its algorithm in Python."""
    predictions = million(implementation, "whole_word")
    tokens, continues = predictions.row.tokens[0], continuations(predictions)
    original = StaticMasking(
        MASK, range(VOCAB_SIZE), 0.15, 20, frozenset(tokens[continues].tolist())
    )
    rng = random.Random(0)
    expected = [
        continues[mask_tokens(tokens.tolist(), 66, original, rng).positions].sum()
        for _ in range(10_000)
    ]
    samples = continues[predictions.positions].sum(axis=1)
    variance = np.var(samples) / len(samples) + np.var(expected) / len(expected)
    assert abs(np.mean(samples) - np.mean(expected)) <= 3 * np.sqrt(variance)


def continuations(predictions):
    """bool [T]: the pieces that do not begin a word."""
    return predictions.row.is_candidate[0] & ~predictions.row.starts_word[0]


@both
@pytest.mark.parametrize("mode", ["whole_word", "ngram"])
@pytest.mark.parametrize(("decision", "expected"), [("piece", 0.34), ("word", 0.0)])
def test_how_often_two_pieces_of_a_word_differ(implementation, mode, decision, expected):
    """1 - (0.8² + 0.1² + 0.1²) where each piece throws its own dice, as in the original.

    So one becomes [MASK] and the next a random token (google-research/bert#910). Both are predicted
    in any case.
    """
    predictions = million(implementation, mode, decision)
    kinds = np.argmax(kinds_of(predictions), axis=0)
    row, column = np.nonzero(continuations(predictions)[predictions.positions])
    positions = predictions.positions
    np.testing.assert_array_equal(positions[row, column - 1], positions[row, column] - 1)
    is_mixed = kinds[row, column] != kinds[row, column - 1]
    assert is_near(is_mixed, expected)
    assert is_mixed.any() == (expected > 0)


@pytest.mark.parametrize("implementation", ["numpy", "graph"])
def test_a_span_shares_its_decision(implementation):
    rows = rows_of("|wccccccccc|", num_rows=2000)
    masked = MASKERS[implementation](rows, masking("span", masked_lm_prob=0.4))
    np.testing.assert_array_equal(masked.positions[:, :5], [[1, 2, 3, 4, 5]] * 2000)  # it is cut
    shown = masked.tokens[:, 1:6]
    kinds = np.array([shown == MASK, shown == masked.labels[:, :5], shown < VOCAB_SIZE])
    np.testing.assert_array_equal(kinds.any(axis=2), kinds.all(axis=2))
    assert np.all(kinds.any(axis=(1, 2)))
    is_random = kinds[2].all(axis=1)
    assert np.mean(shown[is_random, 0] == shown[is_random, 1]) < 0.05


RUN_SHARES = {
    "ngram": [6 / 11, 3 / 11, 2 / 11],
    "span": [0.2 * 0.8**n / (1 - 0.8**10) for n in range(10)],
}


@both
@pytest.mark.parametrize(("mode", "num_rows"), [("ngram", 650 * 1024), ("span", 300 * 1024)])
def test_lengths_and_places_of_runs(implementation, mode, num_rows):
    """Of those chosen first, which nothing has shortened but the end of the text."""
    most = len(RUN_SHARES[mode])
    runs = first_runs(implementation, mode, "|" + "w" * 30 + "|", most, num_rows)
    lengths, begins = runs.sum(axis=1), np.argmax(runs, axis=1)
    assert lengths.sum() > 1_000_000
    assert is_even(np.bincount(begins, minlength=31)[1:])
    lengths = lengths[begins <= 31 - most]
    assert is_even(np.bincount(lengths)[1:], RUN_SHARES[mode])
    mean = {"ngram": 18 / 11, "span": 3.797}[mode]  # the paper of SpanBERT says 3.8
    assert abs(lengths.mean() - mean) < 0.02


def test_seed_and_block_choose_the_draws():
    def draws(seed, number):
        return [values.numpy() for values in in_graph.draw(16, masking("token"), seed, number)]

    for first, again in zip(draws(1, 2), draws(1, 2), strict=True):
        np.testing.assert_array_equal(first, again)
    for seed, number in ((2, 2), (1, 3), (-1, 2), (2**40, 2)):
        for first, other in zip(draws(1, 2), draws(seed, number), strict=True):
            assert np.mean(first == other) < 0.01
    assert np.mean(draws(1, 2)[1] == draws(1, 2)[2]) < 0.01  # the lengths are not the dice
