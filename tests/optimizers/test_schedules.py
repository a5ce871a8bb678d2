import keras
import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.optimizers.schedules import (
    ContinuousWarmupPolynomialDecay,
    WarmupPolynomialDecay,
)

ORIGINAL = {0: 0, 1: 1e-6, 99: 9.9e-5, 100: 9.0e-5, 550: 4.5e-5, 1000: 0, 1001: 0}
CONTINUOUS = {0: 0, 99: 9.9e-5, 100: 1.0e-4, 101: 9.98889e-5, 550: 5.0e-5, 1000: 0, 1001: 0}


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [(WarmupPolynomialDecay, ORIGINAL), (ContinuousWarmupPolynomialDecay, CONTINUOUS)],
)
def test_rates_by_hand(schedule, rates):
    """Where warm-up and decay meet, the original drops by a tenth (tensorflow/models#9709)."""
    rate = schedule(1e-4, num_train_steps=1000, num_warmup_steps=100)
    for step, expected in rates.items():
        np.testing.assert_allclose(rate(step), expected, rtol=1e-5, atol=1e-12, err_msg=str(step))


def test_no_warmup_starts_at_the_peak():
    assert np.float32(WarmupPolynomialDecay(0.5, 10)(0)) == 0.5


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
