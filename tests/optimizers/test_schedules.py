import keras
import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.optimizers.schedules import (
    ContinuousWarmupPolynomialDecay,
    SlantedTriangular,
    WarmupConstant,
    WarmupPolynomialDecay,
)

ORIGINAL = {0: 0, 1: 1e-6, 99: 9.9e-5, 100: 9.0e-5, 550: 4.5e-5, 1000: 0, 1001: 0}
CONTINUOUS = {0: 0, 99: 9.9e-5, 100: 1.0e-4, 101: 9.98889e-5, 550: 5.0e-5, 1000: 0, 1001: 0}
SLANTED = {
    0: 1e-4 / 32,
    1: 1e-4 * (1 + 0.01 * 31) / 32,
    100: 1e-4,
    550: 1e-4 * (1 + 0.5 * 31) / 32,
    1000: 1e-4 / 32,
    1001: 1e-4 / 32,
}
CONSTANT = {0: 0, 1: 1e-6, 99: 9.9e-5, 100: 1.0e-4, 1000: 1.0e-4, 1001: 1.0e-4}


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [
        (WarmupPolynomialDecay, ORIGINAL),
        (ContinuousWarmupPolynomialDecay, CONTINUOUS),
        (WarmupConstant, CONSTANT),
        (SlantedTriangular, SLANTED),
    ],
)
def test_rates_by_hand(schedule, rates):
    """Where warm-up and decay meet, the original drops by a tenth (tensorflow/models#9709)."""
    rate = schedule(1e-4, num_train_steps=1000, num_warmup_steps=100)
    for step, expected in rates.items():
        np.testing.assert_allclose(rate(step), expected, rtol=1e-5, atol=1e-12, err_msg=str(step))


@pytest.mark.parametrize(
    ("power", "expected"),
    [
        (1.0, 0.2 + 0.8 * 0.25),
        (0.5, 0.2 + 0.8 * 0.5),
        (2.0, 0.2 + 0.8 * 0.0625),
    ],
)
@pytest.mark.parametrize(
    ("schedule", "step"),
    # A quarter of the decay is left: of 100 steps, and of the 80 after the warm-up.
    [(WarmupPolynomialDecay, 75), (ContinuousWarmupPolynomialDecay, 80)],
)
def test_power_is_that_of_what_is_left(schedule, step, power, expected):
    rate = schedule(1.0, 100, 20, end_learning_rate=0.2, power=power)
    np.testing.assert_allclose(rate(step), expected, rtol=1e-6)
    np.testing.assert_allclose(rate(100), 0.2, rtol=1e-6)


@pytest.mark.parametrize("power", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize(
    "schedule", [WarmupPolynomialDecay, ContinuousWarmupPolynomialDecay, WarmupConstant]
)
def test_impossible_power_is_refused(schedule, power):
    with pytest.raises(InputError, match="Received: power="):
        schedule(1e-4, 10, power=power)


def test_power_of_no_decay_is_refused():
    with pytest.raises(InputError, match="WarmupConstant has no decay.*power=2"):
        WarmupConstant(1e-4, 10, power=2.0)


def slanted_by_equation_3(step, num_train_steps, cut_fraction, peak, ratio):
    """Howard & Ruder 2018, section 3.2, as printed."""
    cut = np.floor(num_train_steps * cut_fraction)
    share = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_fraction - 1))
    return peak * (1 + share * (ratio - 1)) / ratio


@pytest.mark.parametrize("ratio", [1, 32, 100])
def test_slanted_triangle_is_that_of_the_paper(ratio):
    rate = SlantedTriangular(0.01, 400, 40, ratio=ratio)
    for step in range(401):
        expected = slanted_by_equation_3(step, 400, 0.1, 0.01, ratio)
        np.testing.assert_allclose(rate(step), expected, rtol=1e-5)


@pytest.mark.parametrize("ratio", [0.5, float("nan"), float("inf")])
def test_impossible_ratio_is_refused(ratio):
    with pytest.raises(InputError, match="Received: ratio="):
        SlantedTriangular(1e-4, 10, ratio=ratio)


@pytest.mark.parametrize(
    "schedule",
    [WarmupPolynomialDecay, ContinuousWarmupPolynomialDecay, WarmupConstant, SlantedTriangular],
)
def test_no_warmup_starts_at_the_peak(schedule):
    assert np.float32(schedule(0.5, 10)(0)) == 0.5


@pytest.mark.parametrize("steps", [(0, 0), (10, -1)])
def test_impossible_numbers_are_refused(steps):
    with pytest.raises(InputError, match="Received: num_train_steps"):
        WarmupPolynomialDecay(1e-4, *steps)


@pytest.mark.parametrize("rate", [float("nan"), -1e-4, float("inf")])
def test_impossible_rate_is_refused(rate):
    with pytest.raises(InputError, match="peak_learning_rate"):
        WarmupPolynomialDecay(rate, 10)


@pytest.mark.parametrize("schedule", [WarmupPolynomialDecay, ContinuousWarmupPolynomialDecay])
def test_schedule_is_made_again_from_its_config(schedule):
    original = schedule(1e-4, 1000, 100, end_learning_rate=1e-6, power=2.0)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(original))
    assert again.get_config() == original.get_config()


@pytest.mark.parametrize(
    "original",
    [WarmupConstant(1e-4, 1000, 100, power=1.0), SlantedTriangular(1e-4, 1000, 100, ratio=16.0)],
    ids=lambda schedule: type(schedule).__name__,
)
def test_schedule_of_other_arguments_is_made_again_from_its_config(original):
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(original))
    assert again.get_config() == original.get_config()
