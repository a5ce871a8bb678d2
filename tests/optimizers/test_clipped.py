"""After a step m is a tenth of the clipped gradient: it shows how that was clipped."""

import json
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.lamb import Lamb

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two_replicas():
    """Case -> state, as `two_replicas.py` says."""
    program = [sys.executable, "-m", "tests.optimizers.two_replicas"]
    output = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return json.loads(output)


def gradient_seen(state):
    """The clipped gradient of each variable, the same on both replicas."""
    gradients = []
    for first, second in state["m"]:
        np.testing.assert_array_equal(first, second)
        gradients.append(np.array(first) / 0.1)
    return np.concatenate(gradients)


@pytest.mark.parametrize(
    ("case", "norm", "clipped"),
    [
        # The sum [6, 8] has the norm 10.
        ("global", 10.0, [0.6, 0.8]),
        # [6, 0] and [0, 8] become [1, 0] and [0, 1]; the mean of their norms is 7.
        ("replica", 7.0, [1.0, 1.0]),
        ("replica, below", 0.7, [0.6, 0.8]),
        ("replica, unclipped", 7.0, [6.0, 8.0]),
        # Four slices of 1 have the norm 2, though their sum is [3, 1].
        ("global, rows", 2.0, [1.5, 0.5]),
        # Two slices of 1 on each replica.
        ("replica, rows", np.sqrt(2), [3 / np.sqrt(2), 1 / np.sqrt(2)]),
    ],
)
def test_gradients_of_two_replicas(two_replicas, case, norm, clipped):
    """What two replicas have is counted once (tensorflow/models#7560)."""
    state = two_replicas[case]
    np.testing.assert_allclose(state["norm"], [[norm], [norm]], rtol=1e-6)
    np.testing.assert_allclose(gradient_seen(state), clipped, rtol=1e-6)


def test_weights_of_two_replicas_are_those_of_one_device(two_replicas):
    variables = [keras.Variable([2.0], name=name) for name in "ab"]
    optimizer = AdamWeightDecay(0.01, exclude_from_weight_decay=["a|b"])
    optimizer.apply([tf.constant([6.0]), tf.constant([8.0])], variables)
    for variable, replicas in zip(variables, two_replicas["global"]["weights"], strict=True):
        np.testing.assert_allclose(replicas, [variable.numpy()] * 2, rtol=1e-7)


def test_lamb_of_two_replicas(two_replicas):
    """The direction of a weight alone, not decayed, is 1: it moves by rate * |w| = 0.01 * 2."""
    np.testing.assert_allclose(two_replicas["lamb"]["weights"], np.full((2, 2, 1), 1.98), rtol=1e-6)


@pytest.mark.parametrize("case", ["global, infinite", "replica, infinite"])
def test_infinite_gradient_of_the_second_replica_shows(two_replicas, case):
    state = two_replicas[case]
    assert np.isinf(state["norm"]).all()
    assert np.isnan(state["weights"]).all()


@pytest.mark.parametrize("clipping", ["global", "replica"])
@pytest.mark.parametrize(
    ("gradients", "clipped"),
    [
        ([[3.0], [4.0]], [0.6, 0.8]),  # by the norm of both, 5, not each by its own
        ([[0.1], [0.1]], [0.1, 0.1]),  # below the limit
    ],
)
def test_clipping_is_by_the_norm_of_all_variables(gradients, clipped, clipping):
    """Each tensor by itself: huggingface/transformers#1563 and its kind."""
    variables = [keras.Variable([0.0], name=name) for name in "ab"]
    optimizer = AdamWeightDecay(1.0, exclude_from_weight_decay=[], clipping=clipping)
    optimizer.apply([tf.constant(gradient) for gradient in gradients], variables)
    np.testing.assert_allclose(optimizer.gradient_norm, np.linalg.norm(gradients), rtol=1e-6)
    np.testing.assert_allclose(np.ravel(optimizer.adam_m) / 0.1, clipped, rtol=1e-6)


@pytest.mark.parametrize("optimizer_class", [AdamWeightDecay, Lamb])
def test_slices_of_a_table_move_it_as_their_sum_does(optimizer_class):
    """Rows 0, 2 and 0 again: 3 + 1 and 2, unclipped."""
    tables = [keras.Variable(np.ones((3, 1), np.float32), name="table") for _ in range(2)]
    slices = tf.IndexedSlices(
        tf.constant([[3.0], [2.0], [1.0]]), tf.constant([0, 2, 0]), tf.constant([3, 1])
    )
    for table, gradient in zip(tables, (slices, tf.constant([[4.0], [0.0], [2.0]])), strict=True):
        optimizer = optimizer_class(0.1, exclude_from_weight_decay=[], clip_norm=None)
        optimizer.apply([gradient], [table])
    np.testing.assert_array_equal(*tables)
