import numpy as np
import tensorflow as tf

from bert_keras.models.next_sentence import next_sentence
from tests import golden_model
from tests.models import golden_heads


def test_log_probabilities_equal_the_original():
    model = golden_heads.model(next_sentence)
    logits = model(golden_heads.inputs(model))["next_sentence_logits"]
    expected = golden_model.arrays("forward.npz")["next_sentence_log_probs"]
    np.testing.assert_allclose(tf.nn.log_softmax(logits), expected, atol=1e-5, rtol=0)
