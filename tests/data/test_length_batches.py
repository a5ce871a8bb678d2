"""The order is counted: who is seen how often, where, and beside how much padding."""

import collections

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.data.encoded import EncodedExamples
from bert_keras.data.length_batches import length_batches, longest_first_batches, num_steps
from bert_keras.errors import InputError
from bert_keras.training.batches import evaluation_batches, training_batches


def examples_of(lengths, num_choices=None):
    """Example i has the number i + 1 at every position, and the label 10 * i."""
    shape = [] if num_choices is None else [num_choices]
    ids = [np.full([*shape, length], index + 1, np.int32) for index, length in enumerate(lengths)]
    labels = 10 * np.arange(len(lengths), dtype=np.int32)
    return EncodedExamples(
        {"input_ids": ids}, {"label_ids": labels, "pairs": np.c_[labels, labels]}
    )


def random_examples(num_examples, longest=60, seed=0):
    return examples_of(np.random.default_rng(seed).integers(1, longest + 1, num_examples))


def seen(batches):
    """Index of an example -> how often it comes; rows that fill up are -1."""
    return collections.Counter(np.concatenate([batch["example_index"] for batch in batches]))


def taken(dataset):
    return list(dataset.as_numpy_iterator())


def assert_same(actual, expected):
    assert len(actual) == len(expected)
    for batch, other in zip(actual, expected, strict=True):
        assert batch.keys() == other.keys()
        for name, values in batch.items():
            np.testing.assert_array_equal(values, other[name])


@settings(max_examples=20)  # each starts a pipeline or two
@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=40),
    batch_size=st.integers(1, 9),
    seed=st.integers(0, 2**31 - 1),
    num_epochs=st.sampled_from([0.1, 0.5, 1.0, 2.0, 2.7, 5.0]),
    share_done=st.floats(0, 1),
)
def test_every_example_is_seen_equally_often(lengths, batch_size, seed, num_epochs, share_done):
    examples = examples_of(lengths)
    batches = taken(length_batches(examples, batch_size, seed, num_epochs))
    assert len(batches) == num_steps(len(lengths), batch_size, num_epochs)
    counts = seen(batches)
    num_filled = counts.pop(-1, 0)
    assert num_filled < batch_size
    assert sum(counts.values()) == int(np.ceil(round(len(lengths) * num_epochs, 9)))
    times = [counts[index] for index in range(len(lengths))]
    assert max(times) - min(times) <= (num_epochs != int(num_epochs))
    # What comes after a stop is what would have come.
    start_step = int(share_done * len(batches))
    continued = length_batches(examples, batch_size, seed, num_epochs, start_step)
    assert_same(taken(continued), batches[start_step:])


@settings(max_examples=20)
@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=30),
    batch_size=st.integers(1, 9),
    num_choices=st.sampled_from([None, 3]),
)
def test_rows_hold_their_examples_and_zeros(lengths, batch_size, num_choices):
    examples = examples_of(lengths, num_choices)
    for dataset in (
        length_batches(examples, batch_size, seed=1, num_epochs=1.5),
        longest_first_batches(examples, batch_size),
    ):
        for batch in taken(dataset):
            num_positions = batch["input_ids"].shape[-1]
            assert num_positions % 8 == 0 or num_positions == max(lengths)
            own = [lengths[index] for index in batch["example_index"] if index >= 0]
            assert max(own) <= num_positions < max(own) + 8
            for row, index in enumerate(batch["example_index"]):
                length = lengths[index] if index >= 0 else 0
                assert np.all(batch["input_ids"][row, ..., :length] == index + 1)
                assert not np.any(batch["input_ids"][row, ..., length:])
                label = 10 * max(index, 0)
                assert batch["label_ids"][row] == label
                assert np.all(batch["pairs"][row] == label)
                assert batch["example_weights"][row] == float(index >= 0)


def test_one_pass_holds_everyone_once_the_longest_first():
    examples = random_examples(50)
    batches = taken(longest_first_batches(examples, 8))
    assert seen(batches) == dict.fromkeys(range(50), 1) | {-1: 6}
    lengths = [batch["input_ids"].shape[1] for batch in batches]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == examples.lengths.max()


def test_batches_of_one_length_come_in_no_order_and_hold_little_padding():
    examples = random_examples(6400)
    batches = taken(length_batches(examples, 32, seed=1, num_epochs=1))
    num_tokens = sum(np.count_nonzero(batch["input_ids"]) for batch in batches)
    assert num_tokens / sum(batch["input_ids"].size for batch in batches) > 0.85
    lengths = [batch["input_ids"].shape[1] for batch in batches[:20]]
    assert lengths != sorted(lengths) and len(set(lengths)) > 3


def test_small_set_has_no_batch_of_copies():
    """A pool of several epochs, sorted, would put the copies of an example side by side."""
    batches = taken(length_batches(random_examples(64), 16, seed=1, num_epochs=10))
    copies = [16 - len(set(batch["example_index"])) for batch in batches]
    assert np.mean(copies) < 2


def test_order_is_another_with_another_seed_and_in_another_epoch():
    examples = random_examples(32, longest=8)
    first, second = taken(length_batches(examples, 32, seed=1, num_epochs=2))
    (other,) = taken(length_batches(examples, 32, seed=2, num_epochs=1))
    orders = {tuple(batch["example_index"]) for batch in (first, second, other)}
    assert len(orders) == 3
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(32))}


@pytest.mark.parametrize(("num_epochs", "expected"), [(0.1, 7), (0, 0), (3, 210), (1e-3, 1)])
def test_number_of_steps_counts_in_decimals(num_epochs, expected):
    """In binary 70 * 0.1 is a little more than 7."""
    assert num_steps(70, 1, num_epochs) == expected


def test_workers_share_the_rows_of_every_batch():
    examples = random_examples(20)
    whole = taken(length_batches(examples, 6, 1, 2))
    shares = [
        taken(length_batches(examples, 6, 1, 2, worker_index=i, num_workers=3)) for i in range(3)
    ]
    for batch, *parts in zip(whole, *shares, strict=True):
        for name, values in batch.items():
            np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), values)


def test_shapes_of_all_batches_are_told_beforehand():
    dataset = length_batches(examples_of([3, 20, 7], num_choices=4), 2, seed=1, num_epochs=1)
    assert len(dataset) == 2
    assert dataset.element_spec == {
        "input_ids": tf.TensorSpec([2, 4, None], tf.int32),
        "label_ids": tf.TensorSpec([2], tf.int32),
        "pairs": tf.TensorSpec([2, 2], tf.int32),
        "example_weights": tf.TensorSpec([2], tf.float32),
        "example_index": tf.TensorSpec([2], tf.int32),
    }


def test_one_length_for_all_changes_no_order():
    examples = random_examples(40)
    batches = taken(length_batches(examples, 8, seed=1, num_epochs=2))
    dataset = length_batches(examples, 8, seed=1, num_epochs=2, padded_length=64)
    assert dataset.element_spec["input_ids"].shape == [8, 64]
    for batch, padded in zip(batches, taken(dataset), strict=True):
        missing = 64 - batch["input_ids"].shape[1]
        rows = np.pad(batch["input_ids"], [(0, 0), (0, missing)])
        assert_same([padded], [batch | {"input_ids": rows}])
    (one_pass,) = taken(longest_first_batches(examples, 40, padded_length=64))
    assert one_pass["input_ids"].shape == (40, 64)


@pytest.mark.parametrize(
    ("split", "make"),
    [
        (training_batches, lambda examples, size: length_batches(examples, size, 1, 1.2)),
        (evaluation_batches, longest_first_batches),
    ],
)
def test_strategy_takes_every_batch(split, make):
    examples, strategy = random_examples(21), tf.distribute.get_strategy()
    batches = split(strategy, lambda **_: make(examples, 4), 4)
    expected = taken(make(examples, 4))
    iterator = iter(batches)
    actual = [{name: values.numpy() for name, values in next(iterator).items()} for _ in expected]
    assert_same(actual, expected)


def test_no_examples_are_an_error():
    with pytest.raises(InputError, match="at least one example"):
        longest_first_batches(EncodedExamples({"input_ids": []}, {}), 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be at least 0; received -1"),
        ({"num_epochs": -0.5}, "num_epochs must be at least 0; received -0.5"),
        ({"start_step": -2}, "start_step must be at least 0; received -2"),
        ({"batch_size": 0}, "batch_size must be at least 1; received 0"),
        ({"num_workers": 3}, "multiple of num_workers=3"),
    ],
)
def test_impossible_number_is_refused(options, message):
    arguments = {"batch_size": 2, "seed": 1, "num_epochs": 1} | options
    with pytest.raises(InputError, match=message):
        length_batches(random_examples(4), **arguments)
