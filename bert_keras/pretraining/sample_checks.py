"""Checks of the first records of a pre-training: whether they suit the model, and can teach it."""

from collections import Counter

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.sampling import Sample
from bert_keras.errors import InputError
from bert_keras.pretraining.watch import ONE_SIDED_LABELS

# Of fewer labels it is no wonder if all are the same.
FEWEST_LABELS = 32


def check_sample(sample: Sample, config: BertConfig) -> None:
    """Raises InputError if a record holds an id that the model has no embedding for."""
    sizes = {
        "input_ids": ("vocab_size", config.vocab_size),
        "masked_lm_ids": ("vocab_size", config.vocab_size),
        "segment_ids": ("type_vocab_size", config.type_vocab_size),
    }
    for path, ranges in sample.ranges.items():
        for name, (smallest, largest) in ranges.items():
            key, size = sizes[name]
            if smallest < 0 or largest >= size:
                raise InputError(
                    f"Ids must be at least 0 and less than {key}={size} of the configuration. "
                    f"Received: {name} from {smallest} to {largest} in {path}. Use the "
                    "configuration that belongs to the vocabulary that the records were made with."
                )


def label_notices(labels: np.ndarray) -> list[str]:
    """What is to be said of next-sentence labels of which (nearly) all are the same."""
    if labels.size < FEWEST_LABELS:
        return []
    [(label, count)] = Counter(labels.tolist()).most_common(1)
    if count == labels.size:
        return [
            f"The next-sentence loss teaches nothing: the first {count} records all have the label "
            f"{label}. So it must be for records of one text (--pairs=none); any others should be "
            "made again."
        ]
    if count > ONE_SIDED_LABELS * labels.size:
        return [
            f"The next-sentence loss teaches little: {count / labels.size:.0%} of the first "
            f"{labels.size} records have the label {label}, where about half should."
        ]
    return []
