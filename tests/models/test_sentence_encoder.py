import numpy as np
import pytest

from bert_keras.models.bert import bert, unpooled_bert
from bert_keras.models.sentence_encoder import sentence_encoder
from tests import golden_model

TOKEN_INPUTS = ("input_ids", "input_mask", "segment_ids")


@pytest.mark.parametrize("build", [bert, unpooled_bert])
def test_the_vector_comes_beside_what_the_encoder_gives(build):
    encoder = build(golden_model.config())
    model = sentence_encoder(encoder, ["mean", "cls"], normalize=True)
    inputs = golden_model.inputs(TOKEN_INPUTS)
    outputs, given = model(inputs), encoder(inputs)
    assert set(outputs) == {*given, "sentence_embedding"}
    for name, value in given.items():
        np.testing.assert_array_equal(outputs[name], value)
    hidden, mask = given["sequence_output"].numpy(), inputs["input_mask"].numpy()
    mean = (hidden * mask[..., np.newaxis]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    vectors = np.concatenate([mean, hidden[:, 0]], axis=1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(outputs["sentence_embedding"], vectors / lengths, atol=1e-6)


def test_weights_are_the_encoders():
    encoder = bert(golden_model.config())
    model = sentence_encoder(encoder)
    assert [weight.path for weight in model.weights] == [weight.path for weight in encoder.weights]
    assert all(ours is theirs for ours, theirs in zip(model.weights, encoder.weights, strict=True))
