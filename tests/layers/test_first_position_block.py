"""The block that computes every position is the reference."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.first_position_block import FirstPositionBlock
from tests import golden_model

CONFIG = dataclasses.replace(
    BertConfig.named("tiny", vocab_size=100),
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
OF_ROWS = tf.constant([[[1, 1, 1, 0, 0]], [[1, 1, 1, 1, 1]]])
OF_PAIRS = tf.constant(np.random.default_rng(0).integers(0, 2, [2, 5, 5]))


def built(kind, dtype="float32", config=CONFIG):
    keras.utils.set_random_seed(1)
    block = kind(config, name="layer_0", dtype=dtype)
    block.build((None, None, config.hidden_size), (None, 1, None))
    return block


def first_row_and_gradients(block, mask):
    """The first row of the output; the gradients of a loss of it, of the inputs and the weights."""
    inputs = tf.random.stateless_normal([2, 5, CONFIG.hidden_size], seed=[1, 2])
    variables = [variable.value for variable in block.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        first = tf.cast(block(inputs, mask, training=True)[:, 0], tf.float32)
        loss = tf.reduce_sum(first**3)
    return [first, *tape.gradient(loss, [inputs, *variables])]


@pytest.mark.parametrize("mask", [OF_ROWS, OF_PAIRS], ids=["of rows", "of pairs"])
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 1e-6), ("mixed_bfloat16", 0.02)])
def test_first_row_and_gradients_are_those_of_the_whole_block(mask, dtype, bound):
    first, *gradients = first_row_and_gradients(built(FirstPositionBlock, dtype), mask)
    expected, *references = first_row_and_gradients(built(TransformerBlock, dtype), mask)
    assert golden_model.relative_error(first, expected) < bound
    differences = [value - other for value, other in zip(gradients, references, strict=True)]
    assert tf.linalg.global_norm(differences) < bound * tf.linalg.global_norm(references)


def test_variables_have_the_names_and_shapes_of_the_whole_block():
    kinds = [built(FirstPositionBlock), built(TransformerBlock)]
    first, whole = ([(weight.path, weight.shape) for weight in block.weights] for block in kinds)
    assert first == whole


def test_only_one_row_is_computed_after_the_attention():
    config = dataclasses.replace(CONFIG, hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.5)
    block = built(FirstPositionBlock, config=config)
    outputs = tf.function(block).get_concrete_function(
        tf.TensorSpec([None, 5, config.hidden_size]), tf.TensorSpec([None, 1, 5]), training=True
    )
    assert outputs.output_shapes == [None, 1, config.hidden_size]
    assert block.compute_output_shape((2, 5, 128), (2, 1, 5)) == (2, 1, 128)
