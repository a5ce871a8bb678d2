"""Estimates, against models that were built and processes that were measured."""

import keras
import pytest

from bert_keras.config import BertConfig
from bert_keras.models.pretrainer import pretrainer
from bert_keras.pretraining import estimates
from bert_keras.training.precision import POLICIES


@pytest.mark.parametrize(
    ("size", "expected"), [("base", 110_106_428), ("large", 336_226_108), ("mini", 11_267_900)]
)
def test_parameters_of_the_released_sizes(size, expected):
    assert estimates.num_parameters(BertConfig.named(size)) == expected


def test_parameters_are_those_of_the_model():
    config = BertConfig(
        vocab_size=31,
        hidden_size=12,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=20,
        max_position_embeddings=17,
        type_vocab_size=3,
    )
    with keras.StatelessScope():
        model = pretrainer(config)
    assert estimates.num_parameters(config) == model.count_params()


def test_arithmetic_of_a_step():
    """Every product written out: [m, k] x [k, n] takes 2 m k n, and twice that backward."""
    config = BertConfig(
        vocab_size=50,
        hidden_size=8,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=16,
    )
    batch_size, length, num_predictions = 5, 7, 2
    tokens, masked = batch_size * length, batch_size * num_predictions
    products = 3 * [  # a layer
        *(4 * [(tokens, 8, 8)]),  # query, key, value, output
        *(2 * batch_size * [(length, 4, length)]),  # scores of each head
        *(2 * batch_size * [(length, length, 4)]),  # contexts
        (tokens, 8, 16),
        (tokens, 16, 8),
    ]
    products += [(masked, 8, 8), (masked, 8, 50)]
    flops = 3 * sum(2 * m * k * n for m, k, n in products)
    assert estimates.step_flops(config, batch_size, length, num_predictions) == flops


# Largest memory of a process that takes a few steps of the optimizer, dropout on, in GB: TensorFlow
# 2.21 on 2 cores.
MEASURED = [
    ("tiny", 32, 128, 1.21),
    ("mini", 1, 128, 1.04),
    ("mini", 8, 128, 1.18),
    ("mini", 32, 128, 1.64),
    ("mini", 64, 128, 2.40),
    ("mini", 8, 512, 1.92),
    ("base", 1, 128, 2.88),
    ("base", 8, 128, 3.49),
    ("base", 16, 128, 4.29),
    ("base", 2, 512, 3.99),
]
MEASURED_REMATERIALIZED = [
    ("mini", 32, 128, 1.41),
    ("base", 8, 128, 3.13),
    ("base", 2, 512, 3.17),
]
MEASURED_IN_PARTS_OR_BFLOAT16 = [
    ("mini", 32, 128, {"precision": "bfloat16"}, 1.53),
    ("mini", 64, 128, {"precision": "bfloat16"}, 2.07),
    ("base", 8, 128, {"precision": "bfloat16"}, 3.36),
    ("mini", 32, 128, {"num_micro_batches": 4}, 1.44),
    ("base", 8, 128, {"num_micro_batches": 4}, 3.55),
]


def estimated_gb(size, batch_size, length, **options):
    num_predictions = 20 * length // 128
    memory = estimates.training_memory(
        BertConfig.named(size), batch_size, length, num_predictions, **options
    )
    return (sum(memory) + estimates.TENSORFLOW_BYTES) / 1e9


@pytest.mark.parametrize(("size", "batch_size", "length", "measured"), MEASURED)
def test_memory_is_near_what_was_measured(size, batch_size, length, measured):
    assert estimated_gb(size, batch_size, length) == pytest.approx(measured, rel=0.10)


@pytest.mark.parametrize(("size", "batch_size", "length", "measured"), MEASURED_REMATERIALIZED)
def test_memory_of_rematerialization(size, batch_size, length, measured):
    estimate = estimated_gb(size, batch_size, length, rematerialize=True)
    assert estimate == pytest.approx(measured, rel=0.10)


@pytest.mark.parametrize(
    ("size", "batch_size", "length", "options", "measured"), MEASURED_IN_PARTS_OR_BFLOAT16
)
def test_memory_of_parts_and_of_bfloat16(size, batch_size, length, options, measured):
    assert estimated_gb(size, batch_size, length, **options) == pytest.approx(measured, rel=0.20)


def base(batch_size=32, **options):
    return estimates.training_memory(BertConfig.base(), batch_size, 128, 20, **options)


def test_what_saves_memory():
    usual = base()
    low = base(precision="bfloat16")
    assert low.moments == usual.moments and low.gradients == usual.gradients
    assert 0.5 < low.activations / usual.activations < 0.6  # the softmax stays float32
    lean = base(rematerialize=True)
    assert lean[:3] == usual[:3]
    assert lean.activations < usual.activations / 4
    parts = base(num_micro_batches=4)
    assert parts.activations == base(batch_size=8).activations
    assert parts.gradients - usual.gradients == usual.moments / 2  # the sum of the parts


def test_a_checkpoint_holds_weights_and_moments():
    assert estimates.checkpoint_bytes(BertConfig.base()) == 3 * 4 * 110_106_428


def test_every_precision_has_its_bytes():
    assert estimates.ACTIVATION_BYTES.keys() == POLICIES.keys()
