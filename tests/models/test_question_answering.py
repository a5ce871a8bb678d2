import keras
import numpy as np

from bert_keras.models.bert import hidden_states
from bert_keras.models.question_answering import question_answering
from tests import golden_model
from tests.models import golden_heads


def test_start_is_the_first_row_of_weights_and_end_the_second():
    model = golden_heads.model(question_answering)
    weights, bias = golden_heads.head(model, "squad")
    hidden = golden_model.arrays("forward.npz")["sequence_output"]
    outputs = model(golden_heads.inputs(model))
    for row, name in enumerate(["start_logits", "end_logits"]):
        expected = hidden @ weights[row] + bias[row]
        np.testing.assert_allclose(outputs[name], expected, atol=1e-4, rtol=0)


def test_training_drops_nothing_before_the_head():
    model = golden_heads.model(question_answering, hidden_dropout_prob=0.5)
    weights, bias = golden_heads.head(model, "squad")
    outputs = keras.Model(model.input, [hidden_states(model)[-1], model.output["start_logits"]])
    hidden, logits = outputs(golden_heads.inputs(model), training=True)
    np.testing.assert_allclose(logits, np.asarray(hidden) @ weights[0] + bias[0], atol=1e-4, rtol=0)
