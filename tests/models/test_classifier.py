import dataclasses

import keras
import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.models.classifier import classifier
from bert_keras.models.token_classifier import token_classifier
from tests import golden_model
from tests.models import golden_heads


def test_logits_are_a_product_with_the_pooled_output():
    model = golden_heads.model(classifier)
    weights, bias = golden_heads.head(model, "classifier")
    expected = golden_model.arrays("forward.npz")["pooled_output"] @ weights.T + bias
    logits = model(golden_heads.inputs(model))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-4, rtol=0)
    assert logits.shape == (4, 3)


def test_training_drops_features_of_the_pooled_output():
    model = golden_heads.model(classifier, hidden_dropout_prob=0.5)
    pooled, dropped = model.get_layer("pooler").output, model.get_layer("dropout").output
    model = keras.Model(model.input, [pooled, dropped, *model.output.values()])
    weights, bias = golden_heads.head(model, "classifier")
    pooled, dropped, logits = model(golden_heads.inputs(model), training=True)
    share = np.mean(dropped == 0)
    assert 0.3 < share < 0.7
    np.testing.assert_allclose(dropped, np.where(dropped == 0, 0, 2 * pooled), rtol=1e-6)
    np.testing.assert_allclose(logits, dropped @ weights.T + bias, atol=1e-4, rtol=0)


def test_one_label_makes_a_regression():
    config = dataclasses.replace(golden_model.config(), labels=("score",))
    assert classifier(config).output["logits"].shape == (None, 1)


def test_fit_learns_the_labels_of_a_few_examples():
    model = classifier(golden_heads.config(num_hidden_layers=1))
    model.compile(
        optimizer=keras.optimizers.Adam(0.01),
        loss={"logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
    )
    labels = {"logits": np.array([0, 2, 1, 2])}
    history = model.fit(golden_heads.inputs(model), labels, epochs=20, verbose=0).history
    assert history["loss"][-1] < 0.1 * history["loss"][0]


@pytest.mark.parametrize("build", [classifier, token_classifier])
def test_config_without_labels_is_an_error_that_says_how_to_give_them(build):
    with pytest.raises(InputError, match=r"without labels.*dataclasses.replace\(config, labels="):
        build(golden_model.config())
