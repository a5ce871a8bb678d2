import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.feature_extraction.layers import layer_numbers, layer_outputs
from bert_keras.models.bert import unpooled_bert
from tests import golden_model

NAMES = ["embedding_output", "encoder_layer_0", "encoder_layer_1", "encoder_layer_2"]
INPUTS = ("input_ids", "input_mask", "segment_ids")


@pytest.fixture(scope="module")
def encoder():
    return golden_model.model(unpooled_bert)


@pytest.mark.parametrize("numbers", [[-4, -3, -2, -1], [0, 1, 2], [2, -4]])
def test_layers_are_the_originals(encoder, numbers):
    """`get_all_encoder_layers()[number]` of the original; below its first are the embeddings."""
    forward = golden_model.arrays("forward.npz")
    outputs = layer_outputs(encoder, numbers)(golden_model.inputs(INPUTS))["features"]
    is_token = forward["input_mask"] == 1
    for place, number in enumerate(numbers):
        name = NAMES[number] if number < 0 else NAMES[number + 1]
        np.testing.assert_allclose(
            outputs[:, :, place][is_token], forward[name][is_token], atol=1e-5, rtol=0
        )


def test_what_lies_above_is_not_computed(encoder):
    layers = {layer.name for layer in layer_outputs(encoder, [0, -4]).layers}
    assert "layer_0" in layers and not layers & {"layer_1", "layer_2"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-5"], r"from -4 \(the embeddings\) and -3 .* to 2\. Received: -5"),
        (["3"], "Received: 3"),
        (["-1", "x"], "Received: -1,x"),
        ([""], "Received: "),
        ([], "Received: none"),
        (["-1", "-1"], "each layer once. Received: -1,-1"),
        (["0", "-3"], "each layer once"),
    ],
)
def test_numbers_of_no_layer(words, message):
    with pytest.raises(InputError, match=message):
        layer_numbers(words, num_layers=3)


def test_numbers_keep_their_order():
    assert layer_numbers(["-1", " 0", "-4"], num_layers=3) == [-1, 0, -4]
