"""The reference model of tests/golden/model, for the tests that compare with it."""

import pathlib

import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.pretrained import load_checkpoint
from bert_keras.config import BertConfig
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import LOSSES, pretraining
from bert_keras.training import step

FOLDER = pathlib.Path(__file__).parent / "golden" / "model"
INPUTS = ("input_ids", "input_mask", "segment_ids", "masked_lm_positions")
FEATURES = (*INPUTS, "masked_lm_ids", "masked_lm_weights", "next_sentence_labels")


def arrays(name: str) -> dict[str, np.ndarray]:
    with np.load(FOLDER / name) as file:
        return dict(file)


def config() -> BertConfig:
    return BertConfig.from_json_file(FOLDER / "bert_config.json")


def model(build=pretrainer, checkpoint="bert_model.ckpt"):
    built = build(config())
    load_checkpoint(built, FOLDER / checkpoint)
    return built


def features() -> dict[str, tf.Tensor]:
    forward = arrays("forward.npz")
    return {name: tf.constant(forward[name]) for name in FEATURES}


def inputs(names=INPUTS) -> dict[str, tf.Tensor]:
    return {name: value for name, value in features().items() if name in names}


def loss(trained, batch, training=True) -> tf.Tensor:
    """The loss that `train_step` differentiates."""
    outputs = trained({name: batch[name] for name in INPUTS}, training=training)
    return step.total_loss(pretraining(outputs, batch), denominators(batch))


def denominators(batch) -> dict[str, tf.Tensor]:
    """What one device divides the losses by."""
    return {name: loss.count(batch) + loss.added for name, loss in LOSSES.items()}


def relative_error(value, expected) -> float:
    return float(np.linalg.norm(value - expected) / np.linalg.norm(expected))
