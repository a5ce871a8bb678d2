import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.optimizers.exclusions import EXCLUDE_FROM_WEIGHT_DECAY
from bert_keras.optimizers.lamb import Lamb
from bert_keras.optimizers.schedules import WarmupPolynomialDecay


def weights_after(gradients, initial, **options):
    """A variable named kernel after a step at rate 0.1 for each gradient; epsilon counts little."""
    variable = keras.Variable(np.array(initial, np.float32), name="kernel")
    optimizer = Lamb(
        **{"learning_rate": 0.1, "exclude_from_weight_decay": [], "epsilon": 1e-9} | options
    )
    for gradient in gradients:
        optimizer.apply([tf.constant(gradient)], [variable])
    return variable.numpy()


def test_decay_is_inside_the_trust_ratio():
    """r = [1, 1], as without bias m^ = g and v^ = g^2; decay 0.5 of [3, 4] adds [1.5, 2].

    d = [2.5, 3] has the norm sqrt(15.25), w the norm 5.
    """
    weights = weights_after([[0.6, 0.2]], [3.0, 4.0], weight_decay_rate=0.5)
    ratio = 5.0 / np.sqrt(15.25)
    np.testing.assert_allclose(weights, [3 - 0.1 * ratio * 2.5, 4 - 0.1 * ratio * 3], rtol=1e-6)


def test_weight_that_is_not_decayed():
    """r = [1, -1] has the norm sqrt(2), w the norm 5."""
    weights = weights_after([[0.6, -0.2]], [3.0, 4.0], exclude_from_weight_decay=["kernel"])
    step = 0.1 * 5.0 / np.sqrt(2.0)
    np.testing.assert_allclose(weights, [3 - step, 4 + step], rtol=1e-6)


def test_variable_excluded_from_layer_adaptation_has_ratio_1():
    weights = weights_after(
        [[0.6, -0.2]], [3.0, 4.0], weight_decay_rate=0.5, exclude_from_layer_adaptation=["kernel"]
    )
    np.testing.assert_allclose(weights, [3 - 0.1 * (1 + 1.5), 4 - 0.1 * (-1 + 2)], rtol=1e-6)


def test_zero_weight_has_ratio_1():
    np.testing.assert_allclose(weights_after([[0.6, -0.2]], [0.0, 0.0]), [-0.1, 0.1], rtol=1e-6)


def test_zero_direction_changes_nothing():
    weights = weights_after([[0.0, 0.0]], [3.0, 4.0], weight_decay_rate=0.0)
    np.testing.assert_array_equal(weights, [3.0, 4.0])


def test_two_steps():
    """Gradients 1 and 0.5 of the weight 2: alone, its step is rate * |w| whatever the gradient.

    So it is 2 -> 1.8. Then m = 0.9 * 0.1 + 0.1 * 0.5 = 0.14 and v = 0.000999 + 0.00025 = 0.001249,
    without bias 0.14 / 0.19 and 0.001249 / 0.001999: positive, so 1.8 -> 1.62. With ratio 1 the
    steps are 0.1 and 0.1 * 0.73684 / 0.79045 = 0.093218.
    """
    options = {"weight_decay_rate": 0.0}
    gradients = [[1.0], [0.5]]
    np.testing.assert_allclose(weights_after(gradients, [2.0], **options), [1.62], rtol=1e-6)
    unadapted = weights_after(gradients, [2.0], exclude_from_layer_adaptation=["kernel"], **options)
    second = (0.14 / 0.19) / np.sqrt(0.001249 / 0.001999)
    np.testing.assert_allclose(unadapted, [2.0 - 0.1 - 0.1 * second], rtol=1e-6)


def lamb_of_the_paper(weights, gradients, rate, decay, clip_norm=1.0):
    """Algorithm 2 line by line, in float64."""
    weights = [np.array(weight, np.float64) for weight in weights]
    m = [np.zeros_like(weight) for weight in weights]
    v = [np.zeros_like(weight) for weight in weights]
    for t, step_gradients in enumerate(gradients, 1):
        norm = np.sqrt(sum(np.sum(np.float64(gradient) ** 2) for gradient in step_gradients))
        for i, gradient in enumerate(step_gradients):
            g = np.float64(gradient) * min(1.0, clip_norm / norm)
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = 0.999 * v[i] + 0.001 * g**2
            r = (m[i] / (1 - 0.9**t)) / (np.sqrt(v[i] / (1 - 0.999**t)) + 1e-6)
            u = r + decay * weights[i]
            weights[i] -= rate * np.linalg.norm(weights[i]) / np.linalg.norm(u) * u
    return weights


@pytest.mark.parametrize("seed", range(3))
def test_twenty_steps_equal_the_paper(seed):
    random = np.random.default_rng(seed)
    shapes = [tuple(random.integers(1, 40, size=rank)) for rank in (1, 2, 3)]
    initial = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    gradients = [
        [random.standard_normal(shape).astype(np.float32) for shape in shapes] for _ in range(20)
    ]
    variables = [keras.Variable(value, name=f"kernel_{i}") for i, value in enumerate(initial)]
    optimizer = Lamb(0.01, exclude_from_weight_decay=[])
    for step_gradients in gradients:
        optimizer.apply([tf.constant(gradient) for gradient in step_gradients], variables)
    expected = lamb_of_the_paper(initial, gradients, 0.01, 0.01)
    for variable, value in zip(variables, expected, strict=True):
        error = np.linalg.norm(variable.numpy() - value) / np.linalg.norm(value)
        assert error < 1e-6


def test_future_depends_on_saved_variables_only():
    """A new optimizer with the old one's variables takes the old one's next step."""
    variable, again = (keras.Variable([3.0, 4.0], name="kernel") for _ in range(2))
    first, second = (Lamb(0.1, exclude_from_weight_decay=[]) for _ in range(2))
    for _ in range(3):
        first.apply([tf.constant([0.6, -0.2])], [variable])
    second.build([again])
    again.assign(variable)
    for name in ("iterations", "adam_m", "adam_v"):
        olds, news = getattr(first, name), getattr(second, name)
        for old, new in [(olds, news)] if name == "iterations" else zip(olds, news, strict=True):
            new.assign(old)
    for optimizer, trained in ((first, variable), (second, again)):
        optimizer.apply([tf.constant([-0.1, 0.5])], [trained])
    np.testing.assert_array_equal(variable, again)


def test_infinite_gradient_shows():
    assert np.isnan(weights_after([[np.inf, 0.0]], [3.0, 4.0])).all()


@pytest.mark.parametrize(
    "option", [{"beta_1": 1.0}, {"weight_decay_rate": -1.0}, {"exclude_from_layer_adaptation": "b"}]
)
def test_impossible_option_is_refused_by_name(option):
    with pytest.raises(InputError, match=f"{next(iter(option))}.*Received"):
        Lamb(**option)


def test_pattern_of_layer_adaptation_that_matches_nothing_is_an_error():
    with pytest.raises(InputError, match="exclude_from_layer_adaptation .*'gamma'"):
        Lamb(exclude_from_layer_adaptation=["gamma"]).build([keras.Variable([0.0], name="kernel")])


def test_optimizer_is_made_again_from_its_config():
    original = Lamb(
        WarmupPolynomialDecay(1e-4, 100, 10),
        exclude_from_layer_adaptation=EXCLUDE_FROM_WEIGHT_DECAY,
        clipping="replica",
    )
    again = keras.optimizers.deserialize(keras.optimizers.serialize(original))
    assert again.get_config() == original.get_config()
