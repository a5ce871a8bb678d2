"""The precision of a model is chosen where it is built, and nowhere else."""

import keras
import pytest

from bert_keras.training.precision import precision


@pytest.mark.parametrize("name, policy", [("float32", "float32"), ("bfloat16", "mixed_bfloat16")])
def test_what_is_built_within_has_the_policy(name, policy):
    with precision(name):
        assert keras.layers.Dense(1).dtype_policy.name == policy
    assert keras.config.dtype_policy().name == "float32"


def test_the_policy_is_put_back_after_an_error():
    with pytest.raises(KeyError), precision("bfloat16"):
        raise KeyError
    assert keras.config.dtype_policy().name == "float32"
