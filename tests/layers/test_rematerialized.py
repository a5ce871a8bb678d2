"""What is computed twice is what was computed once: the plain block is the reference."""

import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.rematerialized import RematerializedBlock

CONFIG = BertConfig.named("tiny", vocab_size=100)
MASK = tf.constant([[[1, 1, 1, 0, 0]], [[1, 1, 1, 1, 1]]])


def built(kind, dtype="float32", config=CONFIG):
    keras.utils.set_random_seed(1)
    block = kind(config, name="layer_0", dtype=dtype)
    block.build((None, None, config.hidden_size), (None, 1, None))
    return block


def hidden():
    return tf.random.stateless_normal([2, 5, CONFIG.hidden_size], seed=[1, 2])


def loss_and_gradients(block, inputs):
    variables = [variable.value for variable in block.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = tf.cast(block(inputs, MASK, training=True), tf.float32)
        loss = tf.reduce_sum(outputs**3)
    return [loss, *tape.gradient(loss, [inputs, *variables])]


def accumulated(block, inputs):
    """The sums over two passes in a loop of the graph."""

    def add(index, *totals):
        values = loss_and_gradients(block, inputs)
        return index + 1, *(total + value for total, value in zip(totals, values, strict=True))

    shapes = [(), inputs.shape, *(variable.shape for variable in block.trainable_variables)]
    start = [0, *(tf.zeros(shape) for shape in shapes)]
    return tf.while_loop(lambda index, *_: index < 2, add, start)[1:]


def three_steps(block, function):
    """The seeds after three steps of gradient descent, and the losses and gradients of all."""
    results = []
    for _ in range(3):
        values = function(block, hidden())
        for variable, gradient in zip(block.trainable_variables, values[2:], strict=True):
            variable.assign_sub(0.01 * gradient)
        results += values
    seeds = np.stack(block.non_trainable_variables)
    return seeds, *(np.asarray(value) for value in results)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (loss_and_gradients, "float32"),
        (tf.function(loss_and_gradients), "float32"),
        (tf.function(accumulated), "mixed_bfloat16"),
    ],
    ids=["eager", "graph", "loop"],
)
def test_losses_gradients_and_seeds_are_the_same_bits(function, dtype):
    expected = three_steps(built(TransformerBlock, dtype), function)
    actual = three_steps(built(RematerializedBlock, dtype), function)
    for value, reference in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(value, reference)


def test_compiled_it_is_the_same_but_for_rounding():
    """The compiler is free to sum in another order in the second run."""
    function = tf.function(loss_and_gradients, jit_compile=True)
    seeds, *expected = three_steps(built(TransformerBlock), function)
    actual_seeds, *actual = three_steps(built(RematerializedBlock), function)
    np.testing.assert_array_equal(actual_seeds, seeds)
    assert_near(actual, expected)


def assert_near(actual, expected):
    """Bounded by the largest number, as the true gradient of a key bias is 0."""
    bound = 1e-6 * max(np.abs(reference).max() for reference in expected)
    for value, reference in zip(actual, expected, strict=True):
        np.testing.assert_allclose(value, reference, rtol=0, atol=bound)


def test_a_dropout_of_rate_0_draws_nothing():
    config = BertConfig.of(CONFIG.to_dict() | {"attention_probs_dropout_prob": 0.0})
    expected = three_steps(built(TransformerBlock, config=config), loss_and_gradients)
    actual = three_steps(built(RematerializedBlock, config=config), loss_and_gradients)
    for value, reference in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(value, reference)


def test_inference_draws_nothing_and_is_that_of_the_plain_block():
    plain, block = built(TransformerBlock), built(RematerializedBlock)
    seeds = [variable.numpy() for variable in block.non_trainable_variables]
    np.testing.assert_array_equal(block(hidden(), MASK), plain(hidden(), MASK))
    np.testing.assert_array_equal(seeds, block.non_trainable_variables)


def test_the_backward_pass_computes_the_block_again(monkeypatch):
    block, calls = built(RematerializedBlock), []
    call = block.intermediate.call
    monkeypatch.setattr(
        block.intermediate, "call", lambda *a, **b: calls.append(1) or call(*a, **b)
    )
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(block(hidden(), MASK, training=True))
    assert len(calls) == 1
    tape.gradient(total, [block.trainable_variables[0].value])
    assert len(calls) == 2


REPLICAS = """
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from tests.layers.test_rematerialized import *
strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])


def run(kind, **options):
    with strategy.scope():
        block = built(kind)
    step = tf.function(loss_and_gradients, **options)
    run = tf.function(lambda: strategy.run(lambda: step(block, hidden())), autograph=False)
    steps = [tf.nest.map_structure(strategy.experimental_local_results, run()) for _ in range(2)]
    return [np.asarray(value) for value in tf.nest.flatten(steps)]


plain, block = run(TransformerBlock), run(RematerializedBlock)
first, second = block[:2]
assert abs(first - second) > 1e-3, "the replicas draw the same masks"
for value, reference in zip(block, plain, strict=True):
    np.testing.assert_array_equal(value, reference)
assert_near(run(RematerializedBlock, jit_compile=True), plain)
print("done")
"""


@pytest.mark.slow
def test_replicas_draw_different_masks_and_the_same_in_another_run():
    """Two processors of one machine as replicas, in a process of its own: devices are fixed."""
    program = [sys.executable, "-c", REPLICAS]
    output = subprocess.run(program, capture_output=True, text=True, check=False)
    assert output.stdout.endswith("done\n"), output.stderr
