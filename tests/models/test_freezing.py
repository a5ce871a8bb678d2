import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.models.classifier import classifier
from bert_keras.models.freezing import freeze
from bert_keras.objectives.classification import LOSSES, classification
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.training import step
from tests.models import golden_heads

LABELS = {"label_ids": tf.constant([0, 2, 1, 2]), "example_weights": tf.ones([4])}


def two_layers():
    return golden_heads.model(classifier, num_hidden_layers=2)


def frozen_model(num_layers):
    model = two_layers()
    freeze(model, num_layers)
    return model


def gradients(model):
    """The gradient of each trainable variable, by its path."""
    features = golden_heads.inputs(model) | LABELS
    denominators = {"classification_loss": tf.constant(4.0)}
    _, values = step.gradients(model, classification, denominators, features)
    return dict(zip([v.path for v in model.trainable_variables], values, strict=True))


@pytest.mark.parametrize(
    ("num_layers", "learning"),
    [
        (0, ["classifier", "layer_0", "layer_1", "pooler"]),
        (1, ["classifier", "layer_1", "pooler"]),
        (2, ["classifier", "pooler"]),
    ],
)
def test_embeddings_and_lowest_layers_are_not_trainable(num_layers, learning):
    model = frozen_model(num_layers)
    paths = {variable.path.split("/")[0] for variable in model.trainable_variables}
    assert sorted(paths) == learning
    assert [weight.path for weight in model.weights] == [w.path for w in two_layers().weights]


def test_gradients_of_the_others_are_the_same():
    whole, frozen = gradients(two_layers()), gradients(frozen_model(1))
    for path, gradient in frozen.items():
        np.testing.assert_allclose(gradient, whole[path], atol=1e-6, err_msg=path)


def test_nothing_is_computed_for_the_gradients_of_frozen_layers():
    """Of the operations that the gradients depend on, the others are not run."""

    def num_products(model):
        function = tf.function(lambda: list(map(tf.convert_to_tensor, gradients(model).values())))
        waiting = [output.op for output in function.get_concrete_function().outputs]
        needed = set()
        while waiting:
            operation = waiting.pop()
            if operation not in needed:
                needed.add(operation)
                waiting += [tensor.op for tensor in operation.inputs]
        return sum(operation.type in ("MatMul", "BatchMatMulV2") for operation in needed)

    # A block has six dense layers and two products of attention; then pooler, head, and segments.
    forward = 2 * (6 + 2) + 3
    # Those of the head's weights and inputs, and of the pooler's weights.
    assert num_products(frozen_model(2)) == forward + 3


def test_a_step_in_parts_moves_the_others_alone():
    model = frozen_model(1)
    before = {weight.path: weight.numpy() for weight in model.weights}
    optimizer = AdamWeightDecay(0.01)
    optimizer.build(model.trainable_variables)
    features = golden_heads.inputs(model) | LABELS
    gradients_of = step.accumulated(step.gradients, 2)
    tf.function(
        lambda: step.train_step(model, classification, LOSSES, optimizer, features, gradients_of)
    )()
    for weight in model.weights:
        is_frozen = weight.path.startswith(("embeddings/", "layer_0/"))
        assert np.array_equal(weight, before[weight.path]) == is_frozen, weight.path


@pytest.mark.parametrize("num_layers", [-1, 3])
def test_more_layers_than_there_are_is_an_error(num_layers):
    with pytest.raises(InputError, match=f"0 to 2 layers. Received: {num_layers}"):
        frozen_model(num_layers)
