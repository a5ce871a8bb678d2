"""How many examples a second the input pipelines give, on records made up for it.

Claim: on two cores at least 40,000 examples of length 128 a second with masks in the records, and
20,000 with masks drawn in every epoch, so that they never hold up a training step.
"""

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf

from bert_keras.data.dynamic_pipeline import dynamic_pretraining_dataset
from bert_keras.data.features import Feature, pretraining_features, unmasked_features
from bert_keras.data.masking_settings import Masking, MaskingSettings
from bert_keras.data.pipeline import pretraining_dataset

LENGTH, NUM_PREDICTIONS, BATCH_SIZE = 128, 20, 128
VOCAB_SIZE = 30_522
NUM_FILES, NUM_RECORDS = 8, 50_000
NUM_EXAMPLES = 200_000  # to time, over several epochs


def examples_per_second() -> float:
    """The rate of shuffled training batches with masks from the records."""
    with tempfile.TemporaryDirectory() as folder:
        features = pretraining_features(LENGTH, NUM_PREDICTIONS)
        files = write_synthetic_records(Path(folder), features)
        return _rate(pretraining_dataset(files, LENGTH, NUM_PREDICTIONS, BATCH_SIZE, seed=1))


def masked_examples_per_second(mode: str) -> float:
    """The rate with fresh masks; words have a piece and a half."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_synthetic_records(Path(folder), unmasked_features(LENGTH))
        masking = Masking(MaskingSettings(masking=mode), 103, VOCAB_SIZE, special_ids=(101, 102))
        return _rate(dynamic_pretraining_dataset(files, LENGTH, masking, BATCH_SIZE, seed=1))


def write_synthetic_records(folder: Path, features: Mapping[str, Feature]) -> list[str]:
    """Writes records of random ids without padding; returns the paths of the files."""
    generator = np.random.default_rng(0)
    paths = [str(folder / f"{index}.tfrecord") for index in range(NUM_FILES)]
    for index, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for _ in range(index, NUM_RECORDS, NUM_FILES):
                example = tf.train.Example()
                for name, feature in features.items():
                    values = _values(name, feature.shape, generator)
                    stored = example.features.feature[name]
                    if feature.dtype == "int64":
                        stored.int64_list.value.extend(values)
                    else:
                        stored.float_list.value.extend(values)
                writer.write(example.SerializeToString())
    return paths


def _values(name: str, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    if name in ("input_mask", "masked_lm_weights"):
        return np.ones(shape, int)
    if name == "starts_word":
        return (generator.random(shape) < 2 / 3).astype(int)
    is_id = name in ("input_ids", "masked_lm_ids")
    return generator.integers(1000 if is_id else 0, VOCAB_SIZE if is_id else 2, size=shape)


def _rate(dataset: tf.data.Dataset) -> float:
    """Examples a second after the first batch."""
    iterator = iter(dataset)
    next(iterator)
    num_steps = NUM_EXAMPLES // BATCH_SIZE
    start = time.perf_counter()
    for _ in range(num_steps):
        next(iterator)
    return num_steps * BATCH_SIZE / (time.perf_counter() - start)
