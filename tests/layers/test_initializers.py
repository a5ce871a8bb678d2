import threading

import keras
import numpy as np
import pytest

from bert_keras.checkpoints.loading import load_weights, named_variables
from bert_keras.layers.dense import Dense
from bert_keras.layers.initializers import truncated_normal, zeros_to_be_loaded
from bert_keras.models.classifier import classifier
from tests.checkpoints import stored_models


def is_zero() -> bool:
    return not np.any(truncated_normal(0.02)((5, 5)))


def test_numbers_have_the_standard_deviation_and_end_at_two_of_them():
    numbers = np.asarray(truncated_normal(0.5)((400, 400)))
    assert 0.999 < np.max(np.abs(numbers)) <= 1
    # The original cuts without a correction: of the variance 1 - 4 phi(2) / (2 Phi(2) - 1) is left,
    # with the density phi and the distribution Phi of standard normal numbers.
    np.testing.assert_allclose(np.std(numbers), 0.5 * 0.7737**0.5, rtol=0.01)


def test_zeros_are_given_inside_the_scope_only():
    assert not is_zero()
    with zeros_to_be_loaded():
        assert is_zero()
        with zeros_to_be_loaded():
            assert is_zero()
        assert is_zero()
    assert not is_zero()


def test_scope_ends_with_an_error_too():
    with pytest.raises(KeyError), zeros_to_be_loaded():
        raise KeyError
    assert not is_zero()


def test_layer_of_the_scope_is_random_where_it_is_built_again_from_its_config():
    with zeros_to_be_loaded():
        layer = Dense(7, 0.1)
        layer.build((None, 5))
    assert not np.any(layer.kernel)
    assert layer.get_config() == Dense(7, 0.1, name=layer.name).get_config()
    again = Dense.from_config(layer.get_config())
    again.build((None, 5))
    assert np.all(again.kernel)


def test_another_thread_builds_random_weights_meanwhile():
    found = []
    with zeros_to_be_loaded():
        thread = threading.Thread(target=lambda: found.append(is_zero()))
        thread.start()
        thread.join()
    assert found == [False]


def test_every_matrix_of_a_model_is_zero_before_it_is_loaded():
    with zeros_to_be_loaded():
        model = classifier(stored_models.CONFIG)
    variables = named_variables(model)
    assert {name for name, value in variables.items() if np.any(value)} == {
        name for name in variables if name.endswith("gamma")
    }


def trained(build) -> tuple[list[float], list[np.ndarray]]:
    """The losses of two steps, dropout and all, and the weights after them."""
    stored = stored_models.stored("classifier")
    keras.utils.set_random_seed(1)
    model = build(stored.config)
    load_weights(model, stored.weights, optional=())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss={"logits": loss})
    ids = np.arange(12).reshape(2, 6)
    inputs = {"input_ids": ids, "input_mask": ids * 0 + 1, "segment_ids": ids * 0}
    labels = {"logits": np.array([0, 2])}
    losses = [model.train_on_batch(inputs, labels) for _ in range(2)]
    return losses, model.get_weights()


def test_model_is_loaded_and_trained_as_one_that_was_built_at_random_values():
    def built_in_the_scope(config):
        with zeros_to_be_loaded():
            return classifier(config)

    losses, weights = trained(built_in_the_scope)
    expected_losses, expected_weights = trained(classifier)
    assert losses == expected_losses
    for value, expected in zip(weights, expected_weights, strict=True):
        np.testing.assert_array_equal(value, expected, strict=True)
