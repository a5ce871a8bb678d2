import numpy as np
import pytest

from bert_keras.layers.output_head import OutputHead


@pytest.mark.parametrize("leading", [(5,), (2, 3), (0, 3)])
def test_every_output_is_a_row_of_weights_times_the_features_plus_its_bias(leading):
    random = np.random.default_rng(1)
    head = OutputHead(4)
    features = random.normal(size=(*leading, 8)).astype(np.float32)
    head.build(features.shape)
    weights, bias = random.normal(size=(4, 8)), random.normal(size=4)
    head.set_weights([weights, bias])
    expected = np.einsum("...h,lh->...l", features, weights) + bias
    np.testing.assert_allclose(head(features), expected, rtol=0, atol=1e-5)
    assert head(features).shape == (*leading, 4)


def test_features_in_float32_are_not_rounded_between_products_in_bfloat16():
    head = OutputHead(1, dtype="mixed_bfloat16")
    head.build((1, 1))
    head.output_weights.assign([[1 + 2**-20]])
    np.testing.assert_array_equal(head(np.float32([[1 + 2**-10]])), [[1 + 2**-10 + 2**-20]])


def test_variables_are_named_as_in_the_original():
    head = OutputHead(2, name="seq_relationship")
    head.build((None, 8))
    shapes = {weight.path: weight.shape for weight in head.weights}
    assert shapes == {
        "seq_relationship/output_weights": (2, 8),
        "seq_relationship/output_bias": (2,),
    }
