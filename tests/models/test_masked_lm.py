import numpy as np
import tensorflow as tf

from bert_keras.models.masked_lm import masked_lm
from tests import golden_model
from tests.models import golden_heads


def test_log_probabilities_equal_the_original():
    model = golden_heads.model(masked_lm)
    logits = model(golden_heads.inputs(model))["masked_lm_logits"]
    assert logits.shape == (4, 5, 160)
    expected = golden_model.arrays("forward.npz")["masked_lm_log_probs"].reshape(logits.shape)
    np.testing.assert_allclose(tf.nn.log_softmax(logits), expected, atol=1e-5, rtol=0)
