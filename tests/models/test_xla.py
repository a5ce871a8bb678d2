"""A pretrainer's forward and backward pass is one program of XLA's, as a TPU needs it."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.rematerialized import RematerializedBlock
from bert_keras.models.packed_pretrainer import packed_pretrainer
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import pretraining
from bert_keras.training import step
from bert_keras.training.precision import precision
from tests import golden_model
from tests.models.test_packed_pretrainer import features, packed

CONFIG = BertConfig.of(
    golden_model.config().to_dict()
    | {
        "num_hidden_layers": 1,
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    }
)
BATCHES = {
    pretrainer: golden_model.features(),
    packed_pretrainer: packed(features([7, 24, 12, 9, 15]))[1],
}
# What asks the host for something while a program runs.
HOST_OPERATIONS = r"\b(custom-call|infeed|outfeed|send|recv)\("


@pytest.mark.parametrize(
    ("build", "block", "dtype", "bound"),
    [
        (pretrainer, TransformerBlock, "float32", 1e-5),
        pytest.param(pretrainer, TransformerBlock, "bfloat16", 0.02, marks=pytest.mark.slow),
        pytest.param(packed_pretrainer, TransformerBlock, "float32", 1e-5, marks=pytest.mark.slow),
        pytest.param(
            packed_pretrainer, RematerializedBlock, "bfloat16", 0.02, marks=pytest.mark.slow
        ),
    ],
)
def test_compiles_as_a_whole_to_the_same_gradients(build, block, dtype, bound):
    """With dropout. XLA drops the checks of ids: it has no operation that fails."""
    keras.utils.set_random_seed(1)
    with precision(dtype):
        model = build(CONFIG, block)
    denominators = golden_model.denominators(BATCHES[build])

    def gradients(batch):
        _, values = step.gradients(model, pretraining, denominators, batch)
        return [tf.convert_to_tensor(value) for value in values]

    compiled = tf.function(gradients, jit_compile=True)
    program = compiled.experimental_get_compiler_ir(BATCHES[build])(stage="hlo")
    assert "dot(" in program
    assert not re.search(HOST_OPERATIONS, program)
    seeds = [seed.numpy() for seed in model.non_trainable_variables]
    expected = tf.function(gradients)(BATCHES[build])
    for seed, value in zip(model.non_trainable_variables, seeds, strict=True):
        seed.assign(value)
    actual = compiled(BATCHES[build])
    differences = [value - other for value, other in zip(actual, expected, strict=True)]
    assert tf.linalg.global_norm(differences) < bound * tf.linalg.global_norm(expected)


def test_a_call_of_python_would_not_compile():

    @tf.function(jit_compile=True)
    def doubled(x):
        return tf.numpy_function(lambda x: 2 * x, [x], tf.float32)

    with pytest.raises(tf.errors.InvalidArgumentError, match="[Pp]y_?[Ff]unc"):
        doubled(np.float32(1))
