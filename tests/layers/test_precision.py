"""In bfloat16, 256 + 1 is 256: sums over all positions of a batch must not be made in it."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.dense import Dense
from bert_keras.layers.embeddings import Embeddings
from bert_keras.layers.intermediate import Intermediate
from bert_keras.layers.masked_lm_head import MaskedLMHead
from bert_keras.layers.output_head import OutputHead

BFLOAT16 = {"dtype": "mixed_bfloat16"}
NUM_ROWS = 4096
CONFIG = BertConfig.named("tiny", vocab_size=100)


@pytest.mark.parametrize(
    ("layer", "options"),
    [(Dense(4, **BFLOAT16), {}), (Intermediate(4, "linear", **BFLOAT16), {"training": True})],
    ids=["dense", "intermediate"],
)
@pytest.mark.parametrize("jit_compile", [False, True])
def test_gradient_of_a_bias_counts_every_row(layer, options, jit_compile):
    @tf.function(jit_compile=jit_compile)
    def gradient():
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(tf.cast(layer(inputs, **options), tf.float32))
        return tape.gradient(total, layer.trainable_variables[1].value)

    inputs = tf.zeros([NUM_ROWS, 8])
    layer(inputs)
    np.testing.assert_array_equal(gradient(), [NUM_ROWS] * 4)


def test_gradients_of_the_tables_count_every_position():
    """One word and one segment fill the batch."""
    layer, reference = Embeddings(CONFIG, **BFLOAT16), Embeddings(CONFIG, dtype="float32")
    ids = tf.ones([8, 512], tf.int32)
    for built in (layer, reference):
        built(ids, ids)
    for variable, source in zip(reference.variables, layer.variables, strict=True):
        variable.assign(source)
    expected = embedding_gradients(reference, ids)
    for actual, wanted in zip(embedding_gradients(layer, ids), expected, strict=True):
        assert actual.dtype == "float32"
        assert np.linalg.norm(actual - wanted) < 0.01 * np.linalg.norm(wanted)


def embedding_gradients(layer, ids):
    """Of the weighted sum of the outputs: without weights, LayerNorm's gradient is 0."""
    weights = tf.random.stateless_normal([*ids.shape, CONFIG.hidden_size], [1, 2], mean=1.0)
    with tf.GradientTape() as tape:
        outputs, _ = layer(ids, ids, training=True)
        total = tf.reduce_sum(tf.cast(outputs, tf.float32) * weights)
    variables = [variable.value for variable in layer.trainable_variables]
    return [np.asarray(tf.convert_to_tensor(value)) for value in tape.gradient(total, variables)]


@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        (
            MaskedLMHead(CONFIG, **BFLOAT16),
            [tf.ones([2, 3, 128]), tf.zeros([2, 1], tf.int32), tf.ones([100, 128])],
        ),
        (OutputHead(2, **BFLOAT16), [tf.ones([2, 128])]),
    ],
    ids=["masked_lm", "output"],
)
def test_logits_are_float32_and_said_to_be(layer, inputs):
    symbols = [keras.KerasTensor(value.shape, value.dtype.name) for value in inputs]
    assert layer(*inputs).dtype == "float32"
    assert layer(*symbols).dtype == "float32"
