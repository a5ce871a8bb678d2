import keras
import numpy as np

from bert_keras.models.token_classifier import token_classifier
from tests import golden_model
from tests.models import golden_heads


def test_logits_are_a_product_with_every_token():
    model = golden_heads.model(token_classifier)
    weights, bias = golden_heads.head(model, "classifier")
    expected = golden_model.arrays("forward.npz")["sequence_output"] @ weights.T + bias
    logits = model(golden_heads.inputs(model))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-4, rtol=0)
    assert logits.shape == (4, 24, 3)


def test_training_drops_features_of_every_token():
    model = golden_heads.model(token_classifier, hidden_dropout_prob=0.5)
    dropout = model.get_layer("dropout")
    outputs = keras.Model(model.input, [dropout.input, dropout.output])
    hidden, dropped = outputs(golden_heads.inputs(model), training=True)
    assert 0.4 < np.mean(dropped == 0) < 0.6
    np.testing.assert_allclose(dropped, np.where(dropped == 0, 0, 2 * hidden), rtol=1e-6)
