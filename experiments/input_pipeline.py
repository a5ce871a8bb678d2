"""How many examples a second the input pipeline gives, on records made up for it.

Claim: at least 40,000 examples of length 128 a second on two cores, so that it never holds up a
training step.
"""

import time
from pathlib import Path

import numpy as np
import tensorflow as tf

from bert_keras.data.features import pretraining_features
from bert_keras.data.pipeline import pretraining_dataset


def write_synthetic_records(
    folder: Path,
    num_files: int = 8,
    num_records: int = 50_000,
    max_seq_length: int = 128,
    max_predictions_per_seq: int = 20,
) -> list[str]:
    """Writes random ids, as many records as asked in all; returns the paths of the files."""
    generator = np.random.default_rng(0)
    features = pretraining_features(max_seq_length, max_predictions_per_seq)
    paths = [str(folder / f"{index}.tfrecord") for index in range(num_files)]
    for index, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for _ in range(index, num_records, num_files):
                example = tf.train.Example()
                for name, feature in features.items():
                    stored = example.features.feature[name]
                    if feature.dtype == "int64":
                        limit = 30_522 if name.endswith("ids") else 2
                        stored.int64_list.value.extend(
                            generator.integers(limit, size=feature.shape)
                        )
                    else:
                        stored.float_list.value.extend(np.ones(feature.shape))
                writer.write(example.SerializeToString())
    return paths


def examples_per_second(
    files: list[str],
    batch_size: int = 128,
    num_examples: int = 200_000,
    max_seq_length: int = 128,
    max_predictions_per_seq: int = 20,
) -> float:
    """The rate after the first batch, over several epochs of shuffled training batches."""
    dataset = pretraining_dataset(
        files, max_seq_length, max_predictions_per_seq, batch_size=batch_size, seed=1
    )
    iterator = iter(dataset)
    next(iterator)
    num_steps = num_examples // batch_size
    start = time.perf_counter()
    for _ in range(num_steps):
        next(iterator)
    return num_steps * batch_size / (time.perf_counter() - start)
