import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.rate_factors import GradualUnfreezing, LayerRateDecay

DECAY = LayerRateDecay(num_layers=2, decay=0.5)
UNFREEZING = GradualUnfreezing(num_layers=2, num_steps=2)
# The first part of a variable's path -> how many layers lie above it.
DEPTHS = {
    "seq_relationship": 0,
    "predictions": 0,
    "pooler": 0,
    "layer_1": 1,
    "layer_0": 2,
    "embeddings": 3,
}


def trained(rate_factors, num_steps, state=None, **options):
    """The weights of a kernel of each layer after some steps, and the state of the run."""
    variables = []
    for part in DEPTHS:
        with keras.name_scope(part):
            variables.append(keras.Variable([1.0, 2.0], name="kernel"))
    optimizer = AdamWeightDecay(
        0.01, exclude_from_weight_decay=[], rate_factors=rate_factors, **options
    )
    optimizer.build(variables)
    state_variables = [*variables, *optimizer.variables]
    for variable, value in zip(state_variables, state or [], strict=bool(state)):
        variable.assign(value)
    for _ in range(num_steps):
        gradient = tf.cast(optimizer.iterations, tf.float32) + [0.5, -3.0]
        optimizer.apply([gradient] * len(variables), variables)
    weights = {part: variable.numpy() for part, variable in zip(DEPTHS, variables, strict=True)}
    return weights, [variable.numpy() for variable in state_variables]


def changed(weights):
    return {part for part, weight in weights.items() if np.any(weight != [1.0, 2.0])}


def test_every_layer_of_a_model_learns_half_as_fast_as_the_one_above():
    variables = pretrainer(BertConfig.named("tiny", vocab_size=100)).trainable_variables
    assert {variable.path.split("/")[0] for variable in variables} == set(DEPTHS)
    for variable in variables:
        depth = DEPTHS[variable.path.split("/")[0]]
        assert DECAY(variable.path, tf.constant(1.0)) == 0.5**depth, variable.path


def test_layers_are_told_apart_by_number_and_inside_another_model():
    factor = LayerRateDecay(num_layers=12, decay=0.5)
    assert factor("layer_1/output/dense/kernel", 1) == 0.5**11
    assert factor("layer_11/output/dense/kernel", 1) == 0.5
    assert factor("bert/layer_11/output/dense/kernel", 1) == 0.5
    assert factor("my_layer_11/kernel", 1) == factor("my_embeddings/kernel", 1) == 1


@pytest.mark.parametrize("part", DEPTHS)
def test_layer_waits_for_those_above_it(part):
    num_waiting_steps = 2 * DEPTHS[part]
    path = f"{part}/kernel"
    factors = [float(UNFREEZING(path, tf.constant(number))) for number in range(1, 12)]
    assert factors == [0] * num_waiting_steps + [1] * (11 - num_waiting_steps)


@pytest.mark.parametrize(
    ("num_steps", "learning"),
    [(2, ["pooler"]), (3, ["pooler", "layer_1"]), (5, ["pooler", "layer_1", "layer_0"])],
)
def test_weight_that_waits_does_not_even_decay(num_steps, learning):
    weights, _ = trained([UNFREEZING], num_steps, weight_decay_rate=0.5)
    assert changed(weights) == {"seq_relationship", "predictions", *learning}


def test_factor_multiplies_the_whole_step():
    weights, _ = trained([DECAY], 1)
    whole, _ = trained([], 1)
    for part, depth in DEPTHS.items():
        step = whole[part] - [1.0, 2.0]
        np.testing.assert_allclose(weights[part] - [1.0, 2.0], 0.5**depth * step, rtol=1e-4)


def test_factors_multiply_each_other():
    both, _ = trained([DECAY, UNFREEZING], 2)
    decayed, _ = trained([DECAY], 2)
    for part, depth in DEPTHS.items():
        np.testing.assert_array_equal(both[part], [1.0, 2.0] if depth else decayed[part])


def test_layer_that_waits_has_the_moments_of_one_that_learns():
    _, waiting = trained([GradualUnfreezing(num_layers=2, num_steps=9)], 3)
    _, learning = trained([], 3)
    for value, expected in zip(waiting[len(DEPTHS) :], learning[len(DEPTHS) :], strict=True):
        np.testing.assert_array_equal(value, expected)


def test_continued_run_takes_the_same_steps():
    options = {"rate_factors": [DECAY, UNFREEZING], "correct_bias": True}
    _, expected = trained(num_steps=5, **options)
    _, state = trained(num_steps=2, **options)
    _, actual = trained(num_steps=3, state=state, **options)
    for value, other in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(value, other)


@pytest.mark.parametrize(
    ("make", "received"),
    [
        (lambda: LayerRateDecay(num_layers=3, decay=1.5), "1.5"),
        (lambda: LayerRateDecay(num_layers=3, decay=float("nan")), "nan"),
        (lambda: LayerRateDecay(num_layers=0, decay=0.5), "0"),
        (lambda: GradualUnfreezing(num_layers=3, num_steps=-1), "-1"),
        (lambda: GradualUnfreezing(num_layers=3, num_steps=float("inf")), "inf"),
    ],
)
def test_impossible_number_is_refused(make, received):
    with pytest.raises(InputError, match=f"must be .*Received: {received}"):
        make()
