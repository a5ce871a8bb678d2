import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.names import original_name
from bert_keras.config import BertConfig
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import pretraining
from tests import golden_model


@pytest.fixture(scope="module")
def model():
    return golden_model.model()


def test_log_probabilities_equal_the_original(model):
    expected = golden_model.arrays("forward.npz")
    outputs = model(golden_model.inputs())
    for task in ("masked_lm", "next_sentence"):
        actual = tf.nn.log_softmax(outputs[f"{task}_logits"]).numpy()
        reference = expected[f"{task}_log_probs"]
        np.testing.assert_allclose(actual.reshape(reference.shape), reference, atol=1e-5, rtol=0)


@pytest.mark.parametrize("training", [False, True])
def test_losses_equal_the_original(model, training):
    expected = golden_model.arrays("forward.npz")
    outputs = model(golden_model.inputs(), training=training)
    means = pretraining(outputs, golden_model.features())
    masked_lm = means["masked_lm_loss"]
    np.testing.assert_allclose(
        masked_lm.total / (masked_lm.count + 1e-5), expected["masked_lm_loss"], atol=1e-5
    )
    next_sentence = means["next_sentence_loss"]
    np.testing.assert_allclose(
        next_sentence.total / next_sentence.count, expected["next_sentence_loss"], atol=1e-5
    )


def test_gradients_equal_the_original(model):
    """The true gradient of a key bias is 0: softmax does not see what all scores share."""
    expected = golden_model.arrays("gradients.npz")
    global_norm = np.sqrt(sum(np.sum(value**2) for value in expected.values()))
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = golden_model.loss(model, golden_model.features())
    gradients = tape.gradient(loss, [variable.value for variable in variables])
    assert {original_name(variable.path) for variable in variables} == set(expected)
    for variable, gradient in zip(variables, gradients, strict=True):
        name = original_name(variable.path)
        error = np.linalg.norm(tf.convert_to_tensor(gradient) - expected[name])
        if name.endswith("key/bias"):
            assert error < 1e-8 * global_norm, name
        else:
            assert error < 1e-4 * np.linalg.norm(expected[name]), name


def test_output_matrix_is_the_word_table(model):
    """One table, twice in use: a change of a word's row changes that word's logits."""
    changed = golden_model.model()
    table = changed.get_layer("embeddings").word_embeddings
    unused = 159
    assert unused not in golden_model.inputs()["input_ids"].numpy()
    table.assign(tf.tensor_scatter_nd_add(table.value, [[unused]], tf.ones([1, 32])))
    difference = (
        changed(golden_model.inputs())["masked_lm_logits"]
        - model(golden_model.inputs())["masked_lm_logits"]
    ).numpy()
    assert np.abs(difference[..., unused]).max() > 0.1
    assert np.abs(difference[..., :unused]).max() == 0


def test_position_outside_the_sequence_is_an_error(model):
    inputs = golden_model.inputs()
    inputs["masked_lm_positions"] += 24
    with pytest.raises(tf.errors.InvalidArgumentError, match="masked_lm_positions"):
        model(inputs)


def test_saved_model_file_computes_the_same(model, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for name, value in model(golden_model.inputs()).items():
        np.testing.assert_array_equal(loaded(golden_model.inputs())[name], value)


def test_clone_has_the_same_variables(model):
    clone = keras.models.clone_model(model)
    assert [variable.path for variable in clone.variables] == [
        variable.path for variable in model.variables
    ]


@pytest.mark.parametrize(
    ("config", "num_encoder_weights", "num_weights"),
    [
        (BertConfig.base(), 109_482_240, 110_106_428),
        pytest.param(BertConfig.large(), 335_141_888, 336_226_108, marks=pytest.mark.slow),
    ],
)
def test_number_of_weights_is_that_of_the_released_files(config, num_encoder_weights, num_weights):
    with keras.StatelessScope():  # shapes only
        model = pretrainer(config)
    assert model.count_params() == num_weights
    heads = ("predictions", "seq_relationship")
    num_head_weights = sum(model.get_layer(name).count_params() for name in heads)
    assert num_weights - num_head_weights == num_encoder_weights


def test_dropout_makes_training_random_and_inference_not():
    model = pretrainer(BertConfig.named("tiny", vocab_size=160))
    inputs = golden_model.inputs()
    first, second = (model(inputs, training=True)["masked_lm_logits"] for _ in range(2))
    assert np.abs(first - second).max() > 1e-3
    first, second = (model(inputs)["masked_lm_logits"] for _ in range(2))
    np.testing.assert_array_equal(first, second)
