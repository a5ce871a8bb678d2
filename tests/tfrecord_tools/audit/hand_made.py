"""Records written by hand for the tests of the audit."""

import random

import numpy as np
import tensorflow as tf

from tests.examples import serialized
from tfrecord_tools.audit import auditing
from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.token_ids import load_token_ids

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", "##x", "##y"]
PAD, UNK, CLS, SEP, MASK = range(5)
A, B, C, D, E = range(5, 10)  # ordinary tokens
X = TOKENS.index("##x")
LENGTH, NUM_PREDICTIONS = 12, 3
SHARES = (0.8, 0.1, 0.1)


def masked(
    text_a=(A, B, X), text_b=(C, D), predictions=((1, MASK), (6, B)), label=0, length=LENGTH
):
    """The features of a sound record; `predictions` are positions and what is shown there."""
    ids = [CLS, *text_a, SEP, *text_b, *([SEP] if text_b else [])]
    features = padded(len(ids), len(text_a) + 2, label, length)
    num_unused = NUM_PREDICTIONS - len(predictions)
    features["masked_lm_positions"] = [place for place, _ in predictions] + [0] * num_unused
    features["masked_lm_ids"] = [ids[place] for place, _ in predictions] + [0] * num_unused
    features["masked_lm_weights"] = [1.0] * len(predictions) + [0.0] * num_unused
    for place, shown in predictions:
        ids[place] = shown
    return features | {"input_ids": ids + [0] * (length - len(ids))}


def unmasked(text_a=(A, B, X), text_b=(C, D), label=0):
    """The features of a sound record without masks."""
    ids = [CLS, *text_a, SEP, *text_b, *([SEP] if text_b else [])]
    starts = [int(TOKENS[id_][0] not in "[#") for id_ in ids]
    no_tokens = [0] * (LENGTH - len(ids))
    features = {"input_ids": ids + no_tokens, "starts_word": starts + no_tokens}
    return features | padded(len(ids), len(text_a) + 2, label, LENGTH)


def padded(num_tokens, second_start, label, length):
    num_unused = length - num_tokens
    in_second = num_tokens - second_start
    return {
        "input_mask": [1] * num_tokens + [0] * num_unused,
        "segment_ids": [0] * second_start + [1] * in_second + [0] * num_unused,
        "next_sentence_labels": [label],
    }


def drawn(rng: random.Random, length=LENGTH):
    """A sound record of random texts."""
    num_tokens = rng.randint(2, length - 3)
    texts = [rng.choices(range(A, len(TOKENS)), k=num_tokens)]
    split = rng.randint(1, num_tokens - 1)
    return masked(texts[0][:split], texts[0][split:], ((1, MASK),), rng.randint(0, 1))


def with_changes(features, **changes):
    """A copy; `input_ids={3: 9}` puts 9 at position 3."""
    changed = {name: list(values) for name, values in features.items()}
    for name, values in changes.items():
        for place, value in values.items():
            changed[name][place] = value
    return changed


def batch_of(records) -> Batch:
    """Records of one length as the audit parses them."""
    features = {name: np.array([record[name] for record in records]) for name in records[0]}
    numbers = np.arange(1, len(records) + 1)
    return Batch("set.tfrecord", numbers, np.zeros(len(records), np.uint64), features)


def write(path, records) -> str:
    """Writes features or serialized records to a TFRecord file."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record if isinstance(record, bytes) else serialized(record))
    return str(path)


def token_ids(folder):
    (folder / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    return load_token_ids(str(folder / "vocab.txt"))


def audited(folder, *files, held_out=(), has_vocabulary=True):
    """The report on files that are named or given as lists of records."""
    paths = [
        file if isinstance(file, str) else write(folder / f"{index}.tfrecord", file)
        for index, file in enumerate(files)
    ]
    ids = token_ids(folder) if has_vocabulary else None
    return auditing.audit(paths, held_out, ids, SHARES)
