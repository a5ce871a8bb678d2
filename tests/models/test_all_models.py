"""What holds for every model on BERT's encoder, whatever its head."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.names import original_name
from bert_keras.models.bert import bert, hidden_states, unpooled_bert
from bert_keras.models.classifier import classifier
from bert_keras.models.masked_lm import masked_lm
from bert_keras.models.multiple_choice import multiple_choice
from bert_keras.models.next_sentence import next_sentence
from bert_keras.models.pretrainer import pretrainer
from bert_keras.models.question_answering import question_answering
from bert_keras.models.token_classifier import token_classifier
from bert_keras.training.precision import precision
from tests import golden_model
from tests.models import golden_heads

ENCODER = ("bert/embeddings/", "bert/encoder/")
POOLER = ("bert/pooler/",)
MASKED_LM = ("cls/predictions/",)
NEXT_SENTENCE = ("cls/seq_relationship/",)
# model -> how the names begin of what it has of the golden checkpoint, and what else it has
WEIGHTS = {
    bert: (ENCODER + POOLER, {}),
    unpooled_bert: (ENCODER, {}),
    pretrainer: (ENCODER + POOLER + MASKED_LM + NEXT_SENTENCE, {}),
    masked_lm: (ENCODER + MASKED_LM, {}),
    next_sentence: (ENCODER + POOLER + NEXT_SENTENCE, {}),
    classifier: (ENCODER + POOLER, {"output_weights": [3, 32], "output_bias": [3]}),
    token_classifier: (ENCODER, {"output_weights": [3, 32], "output_bias": [3]}),
    multiple_choice: (ENCODER + POOLER, {"output_weights": [1, 32], "output_bias": [1]}),
    question_answering: (
        ENCODER,
        {"cls/squad/output_weights": [2, 32], "cls/squad/output_bias": [2]},
    ),
}
HEADS = [build for build in WEIGHTS if build not in (bert, unpooled_bert)]
every_model = pytest.mark.parametrize("build", WEIGHTS, ids=lambda build: build.__name__)
every_head = pytest.mark.parametrize("build", HEADS, ids=lambda build: build.__name__)


@every_model
def test_weights_have_the_names_and_shapes_of_the_original(build):
    beginnings, own = WEIGHTS[build]
    stored = golden_heads.stored().get_variable_to_shape_map()
    shared = {name: shape for name, shape in stored.items() if name.startswith(beginnings)}
    weights = build(golden_heads.config()).weights
    assert {original_name(weight.path): list(weight.shape) for weight in weights} == shared | own


@every_model
def test_encoder_equals_the_original(build):
    model = golden_heads.model(build)
    expected = golden_model.arrays("forward.npz")
    outputs = {"sequence_output": hidden_states(model)[-1]}
    if POOLER[0] in WEIGHTS[build][0]:
        outputs["pooled_output"] = model.get_layer("pooler").output
    for name, value in keras.Model(model.input, outputs)(golden_heads.inputs(model)).items():
        computed = expected[name][:, : value.shape[1]]  # of the first position alone, or of all
        np.testing.assert_allclose(value, computed, atol=1e-5, rtol=0)


@every_head
def test_logits_in_bfloat16_are_float32_and_near(build):
    with precision("bfloat16"):
        rounded = golden_heads.model(build)
    model = golden_heads.model(build)
    inputs = golden_heads.inputs(model)
    expected = model(inputs)
    for name, logits in rounded(inputs).items():
        assert logits.dtype == rounded.output[name].dtype == "float32"
        assert golden_model.relative_error(logits, expected[name]) < 0.02


@every_model
def test_training_reaches_every_weight(build):
    model = golden_heads.model(build, hidden_dropout_prob=0.1)
    with tf.GradientTape() as tape:
        outputs = model(golden_heads.inputs(model), training=True)
        total = sum(tf.reduce_sum(value * value) for value in outputs.values())
    variables = [variable.value for variable in model.trainable_variables]
    for variable, gradient in zip(
        model.trainable_variables, tape.gradient(total, variables), strict=True
    ):
        assert np.any(tf.convert_to_tensor(gradient)), variable.path


@pytest.mark.parametrize("build", [token_classifier, multiple_choice, question_answering])
def test_saved_file_computes_the_same(build, tmp_path):
    model = golden_heads.model(build)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    inputs = golden_heads.inputs(model)
    for name, value in model(inputs).items():
        np.testing.assert_array_equal(loaded(inputs)[name], value)
