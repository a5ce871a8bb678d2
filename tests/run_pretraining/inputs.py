"""Small inputs of the program: records, a configuration, a vocabulary, and settings for them."""

import json

import numpy as np
import tensorflow as tf

from bert_keras.run_pretraining import Settings
from tests.examples import serialized

NUM_RECORDS = 50
MAX_SEQ_LENGTH = 16
MAX_PREDICTIONS_PER_SEQ = 4
CONFIG = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 20,
}
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def write_inputs(folder):
    """Writes records, a configuration and a vocabulary."""
    write_records(folder / "records.tfrecord", NUM_RECORDS)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    words = [chr(ord("a") + index) for index in range(25)]
    (folder / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS + words) + "\n")


def write_records(path, num_records, largest_id=29, shortest=8):
    rng = np.random.default_rng(0)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(num_records):
            length = rng.integers(shortest, MAX_SEQ_LENGTH + 1)
            num_predictions = rng.integers(1, MAX_PREDICTIONS_PER_SEQ + 1)
            positions = np.sort(rng.choice(length, num_predictions, replace=False))
            ids = rng.integers(5, largest_id + 1, length)
            features = {
                "input_ids": padded(ids, MAX_SEQ_LENGTH),
                "input_mask": padded(np.ones(length), MAX_SEQ_LENGTH),
                "segment_ids": padded(np.arange(length) >= length // 2, MAX_SEQ_LENGTH),
                "masked_lm_positions": padded(positions, MAX_PREDICTIONS_PER_SEQ),
                "masked_lm_ids": padded(ids[positions], MAX_PREDICTIONS_PER_SEQ),
                "next_sentence_labels": [rng.integers(2)],
            }
            weights = padded(np.ones(num_predictions), MAX_PREDICTIONS_PER_SEQ)
            features["masked_lm_weights"] = np.float32(weights)
            writer.write(serialized(features))


def padded(values, length):
    return [int(value) for value in values] + [0] * (length - len(values))


def settings_for(inputs, folder):
    return Settings(
        input_file=[str(inputs / "records.tfrecord")],
        output_dir=str(folder),
        bert_config_file=str(inputs / "config.json"),
        max_seq_length=MAX_SEQ_LENGTH,
        max_predictions_per_seq=MAX_PREDICTIONS_PER_SEQ,
        do_train=True,
        train_batch_size=8,
        learning_rate=1e-2,
        num_train_steps=8,
        num_warmup_steps=2,
        save_checkpoints_steps=2,
        report_steps=3,
    )
