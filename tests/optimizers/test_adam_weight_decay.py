import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.names import ADAM_SLOTS, original_name
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.rate_factors import GradualUnfreezing, LayerRateDecay
from bert_keras.optimizers.schedules import WarmupPolynomialDecay
from tests import golden_model


@pytest.fixture(scope="module")
def eight_steps():
    """Losses, gradient norms and states (weights by name) after each of the 8 steps."""
    model, features = golden_model.model(), golden_model.features()
    variables = model.trainable_variables
    optimizer = AdamWeightDecay(WarmupPolynomialDecay(5e-3, 8, 3))
    optimizer.build(variables)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = golden_model.loss(model, features)
        gradients = tape.gradient(loss, [variable.value for variable in variables])
        optimizer.apply(gradients, variables)
        return loss

    losses, norms, states = [], [], []
    for _ in range(8):
        losses.append(float(step()))
        norms.append(float(optimizer.gradient_norm))
        states.append({original_name(v.path): v.numpy() for v in variables})
    slots = {
        f"{original_name(variable.path)}/{name}": getattr(optimizer, name)[index].numpy()
        for name in ADAM_SLOTS
        for index, variable in enumerate(variables)
    }
    return losses, norms, states, slots


def assert_near(actual, expected, name, global_norm):
    if "key/bias" in name:
        assert np.linalg.norm(actual - expected) < 1e-6 * global_norm, name
    else:
        assert golden_model.relative_error(actual, expected) < 1e-4, name


def test_losses_equal_the_original(eight_steps):
    np.testing.assert_allclose(
        eight_steps[0], golden_model.arrays("optimizer.npz")["losses"], atol=1e-5, rtol=0
    )


def test_gradient_norms_equal_the_original(eight_steps):
    np.testing.assert_allclose(
        eight_steps[1], golden_model.arrays("optimizer.npz")["grad_norms"], rtol=1e-4
    )


@pytest.mark.parametrize("step", [1, 2, 3, 4, 8])
def test_weights_equal_the_original(eight_steps, step):
    expected = golden_model.arrays("optimizer.npz")
    state = eight_steps[2][step - 1]
    global_norm = np.sqrt(sum(np.sum(value**2) for value in state.values()))
    for name, value in state.items():
        assert_near(value, expected[f"step{step}/{name}"], name, global_norm)


def test_slots_equal_the_original_checkpoint(eight_steps):
    reader = tf.train.load_checkpoint(str(golden_model.FOLDER / "trained_model.ckpt-8"))
    slots = eight_steps[3]
    for kind in ADAM_SLOTS:
        ours = {name: value for name, value in slots.items() if name.endswith(kind)}
        global_norm = np.sqrt(sum(np.sum(value**2) for value in ours.values()))
        for name, value in ours.items():
            assert_near(value, reader.get_tensor(name), name, global_norm)


def test_first_step_has_rate_0(eight_steps):
    initial = golden_model.model()
    for variable in initial.trainable_variables:
        np.testing.assert_array_equal(
            eight_steps[2][0][original_name(variable.path)], variable.numpy()
        )


@pytest.mark.parametrize(("name", "expected"), [("kernel", 1.96817822), ("bias", 1.96837822)])
def test_one_step_by_hand(name, expected):
    """w=2, gradient 1, rate 0.01, decay 0.01, with and without decay."""
    variable = keras.Variable([2.0], name=name)
    optimizer = AdamWeightDecay(0.01, exclude_from_weight_decay=[])
    if name == "bias":
        optimizer = AdamWeightDecay(0.01, exclude_from_weight_decay=["bias"])
    optimizer.apply([tf.constant([1.0])], [variable])
    np.testing.assert_allclose(variable, [expected], rtol=1e-7)


def test_corrected_bias_is_that_of_the_moments():
    """Kingma & Ba 2014, end of section 2, in float64; the decay is not corrected."""
    gradients = np.random.default_rng(0).normal(size=[50, 3])
    variable = keras.Variable([1.0, 1.0, 1.0], name="kernel")
    optimizer = AdamWeightDecay(
        0.01, correct_bias=True, clip_norm=None, exclude_from_weight_decay=[]
    )
    m, v, weight = np.zeros(3), np.zeros(3), np.ones(3)
    for number, gradient in enumerate(gradients, start=1):
        optimizer.apply([tf.constant(gradient, tf.float32)], [variable])
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        correction = np.sqrt(1 - 0.999**number) / (1 - 0.9**number)
        weight -= 0.01 * (correction * m / (np.sqrt(v) + 1e-6) + 0.01 * weight)
        np.testing.assert_allclose(variable, weight, rtol=1e-5)


def test_decayed_are_exactly_tables_and_kernels():
    """Patterns for another naming style once matched nothing (huggingface/transformers#4360)."""
    model = pretrainer(BertConfig.named("tiny", vocab_size=100))
    optimizer = AdamWeightDecay()
    optimizer.build(model.trainable_variables)
    for variable in model.trainable_variables:
        name = variable.path.rpartition("/")[2]
        assert optimizer.is_decayed(variable.path) == (
            name in ("kernel", "output_weights") or name.endswith("_embeddings")
        ), variable.path
    lines = optimizer.describe_weight_decay().splitlines()
    assert "not decayed predictions/output_bias" in lines
    assert "decayed     embeddings/word_embeddings" in lines
    assert len(lines) == len(model.trainable_variables)


def test_own_pattern_that_matches_nothing_is_an_error():
    optimizer = AdamWeightDecay(exclude_from_weight_decay=["LayerNorm", "layer_normalization"])
    with pytest.raises(InputError, match="'layer_normalization'"):
        optimizer.build([keras.Variable([0.0], name="LayerNorm")])


@pytest.mark.parametrize(
    "option",
    [
        {"exclude_from_weight_decay": "bias"},
        {"weight_decay_rate": -0.1},
        {"weight_decay_rate": float("nan")},
        {"weight_decay_rate": float("inf")},
        {"beta_1": 1.0},
        {"beta_2": -1.0},
        {"epsilon": 0.0},
        {"clip_norm": 0.0},
        {"clip_norm": float("inf")},
        {"clipping": "tensor"},
        {"learning_rate": float("nan")},
    ],
)
def test_impossible_option_is_refused_by_name(option):
    with pytest.raises(InputError, match=f"{next(iter(option))}.*Received"):
        AdamWeightDecay(**option)


def test_zero_and_infinite_gradients():
    variable = keras.Variable([2.0], name="kernel")
    optimizer = AdamWeightDecay(0.01, weight_decay_rate=0.0, exclude_from_weight_decay=[])
    optimizer.apply([tf.constant([0.0])], [variable])
    np.testing.assert_array_equal(variable, [2.0])
    optimizer.apply([tf.constant([np.inf])], [variable])
    assert np.isnan(variable.numpy()).all()


def test_optimizer_is_made_again_from_its_config():
    original = AdamWeightDecay(
        WarmupPolynomialDecay(1e-4, 100, 10),
        clip_norm=None,
        clipping="replica",
        correct_bias=True,
        rate_factors=[
            LayerRateDecay(num_layers=2, decay=0.9),
            GradualUnfreezing(num_layers=2, num_steps=7.5),
        ],
    )
    again = keras.optimizers.deserialize(keras.optimizers.serialize(original))
    assert again.get_config() == original.get_config()
    assert again.rate_factors == original.rate_factors
