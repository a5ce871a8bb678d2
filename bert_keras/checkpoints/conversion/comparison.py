"""What stored models compute for one batch, by which a conversion is checked."""

import gc

import keras
import numpy as np

from bert_keras.checkpoints.builders import builder_of
from bert_keras.checkpoints.loading import load_weights
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.layers.initializers import zeros_to_be_loaded

SEED = 20181011  # the day of the paper: every run compares on the same batch
MOST_POSITIONS = 16
NUM_EXAMPLES, NUM_CHOICES, NUM_PREDICTIONS = 3, 2, 4


def largest_differences(written: dict, expected: dict) -> dict[str, float | None]:
    """The largest absolute difference of each output, by `outputs`; None: it was not written."""
    return {
        name: _largest_difference(written[name], value) if name in written else None
        for name, value in expected.items()
    }


def _largest_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Weights that are no numbers give outputs that are none, which are equal then."""
    both_are_none = np.isnan(ours) & np.isnan(theirs)
    return float(np.max(np.where(both_are_none, 0, np.abs(ours - theirs))))


def outputs(stored: StoredModel) -> dict[str, np.ndarray]:
    """What a stored model gives for a fixed batch.

    Raises:
        InputError: its weights are incomplete or damaged.
    """
    with zeros_to_be_loaded():
        model = builder_of(stored)(stored.config)
    load_weights(model, stored.weights, optional=())
    results = model(fixed_batch(model, stored), training=False)
    results = {name: keras.ops.convert_to_numpy(value) for name, value in results.items()}
    del model
    gc.collect()  # a model is full of cycles, and the next one may be as large
    return results


def fixed_batch(model: keras.Model, stored: StoredModel) -> dict[str, np.ndarray]:
    """Random ids in two segments, of several lengths, for the inputs of a model."""
    random = np.random.default_rng(SEED)
    config = stored.config
    length = min(MOST_POSITIONS, config.max_position_embeddings)
    rank = len(model.input["input_ids"].shape)
    shape = (NUM_EXAMPLES, NUM_CHOICES, length)[: rank - 1] + (length,)
    mask = np.ones(shape, np.int32)
    mask[-1, ..., length // 2 :] = 0
    batch = {
        "input_ids": random.integers(config.vocab_size, size=shape, dtype=np.int32),
        "input_mask": mask,
        "segment_ids": random.integers(config.type_vocab_size, size=shape, dtype=np.int32),
        "masked_lm_positions": random.integers(
            length, size=(NUM_EXAMPLES, NUM_PREDICTIONS), dtype=np.int32
        ),
    }
    return {name: batch[name] for name in model.input}
