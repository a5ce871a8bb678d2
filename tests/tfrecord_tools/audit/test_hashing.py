"""Keys are equal for equal tokens, and for nothing else that is met."""

import itertools

import numpy as np

from tfrecord_tools.audit.hashing import mixed, run_keys, text_keys


def test_texts_that_differ_have_different_keys():
    texts = list(itertools.product(range(1, 9), repeat=5))
    keys = text_keys(np.array(texts))
    assert len(np.unique(keys)) == len(texts)


def test_padding_does_not_change_the_key_of_a_text():
    rng = np.random.default_rng(1)
    tokens = rng.integers(1, 30_000, (50, 20))
    padded = np.pad(tokens, ((0, 0), (0, 108)))
    assert (text_keys(tokens) == text_keys(padded)).all()


def test_runs_have_the_key_of_their_tokens_wherever_they_stand():
    tokens = np.random.default_rng(2).integers(0, 3, (100, 40))
    keys = run_keys(tokens, 5)
    assert keys.shape == (100, 36)
    of_run = {}
    for row, start in np.ndindex(keys.shape):
        run = tuple(tokens[row, start : start + 5])
        assert of_run.setdefault(run, keys[row, start]) == keys[row, start]
    assert len(set(of_run.values())) == len(of_run)


def test_a_row_shorter_than_a_run_is_one_run():
    tokens = np.array([[7, 8]])
    assert run_keys(tokens, 4) == run_keys(np.array([[7, 8, 0, 0]]), 4)


def test_mixing_moves_about_half_of_the_bits():
    numbers = np.arange(10_000, dtype=np.uint64)
    changed = np.bitwise_count(mixed(numbers) ^ mixed(numbers ^ np.uint64(1)))
    assert abs(changed.mean() - 32) < 0.2
