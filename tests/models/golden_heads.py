"""Every model on the encoder of tests/golden/model, for the tests of the heads."""

import dataclasses

import keras
import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.names import original_name
from tests import golden_model

LABELS = ("no", "perhaps", "yes")


def stored():
    return tf.train.load_checkpoint(str(golden_model.FOLDER / "bert_model.ckpt"))


def config(**changes):
    return dataclasses.replace(golden_model.config(), labels=LABELS, **changes)


def model(build, **changes) -> keras.Model:
    """With the weights of the golden checkpoint, and random ones where it has none."""
    built = build(config(**changes))
    checkpoint, random = stored(), np.random.default_rng(1)
    for weight in built.weights:
        name = original_name(weight.path)
        is_stored = checkpoint.has_tensor(name)
        weight.assign(
            checkpoint.get_tensor(name) if is_stored else random.normal(size=weight.shape)
        )
    return built


def inputs(built: keras.Model) -> dict[str, tf.Tensor]:
    """The golden inputs of the model; for one with choices, the four rows as choices of one."""
    values = golden_model.inputs(tuple(built.input))
    has_choices = built.input["input_ids"].ndim == 3
    return {name: value[None] for name, value in values.items()} if has_choices else values


def head(built: keras.Model, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The head's weights [L, H] and bias [L]."""
    layer = built.get_layer(name)
    return np.asarray(layer.output_weights), np.asarray(layer.output_bias)
