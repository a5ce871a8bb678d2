"""What a pre-trained model has to beat: answers that use no context."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from bert_keras.data.pipeline import evaluation_dataset

BATCH_SIZE = 1024


def unigram_loss(training_ids: Iterable[int], masked_ids: Sequence[int], vocab_size: int) -> float:
    """The masked-LM loss of a model that knows frequencies only, smoothed by adding one.

    Args:
        training_ids: the token ids of the training text.
        masked_ids: the ids to predict.
        vocab_size: how many different ids there are.

    Returns:
        The mean of -log(frequency) over `masked_ids`, in nats.
    """
    counts = Counter(training_ids)
    total = counts.total() + vocab_size
    return sum(math.log(total / (counts[id_] + 1)) for id_ in masked_ids) / len(masked_ids)


def unigram_entropy(words: np.ndarray) -> float:
    """The masked-LM loss of a model that knows how frequent each word is and nothing else, in nats.

    The entropy of the frequencies in a sample is too small, as rare words are not in it; what is
    added is the first term of that bias (Miller 1955, "Note on the bias of information estimates").
    0 for no words.
    """
    if not words.size:
        return 0.0
    _, counts = np.unique(words, return_counts=True)
    frequencies = counts / words.size
    entropy = -np.sum(frequencies * np.log(frequencies))
    return float(entropy + (counts.size - 1) / (2 * words.size))


def unigram_accuracy(training_ids: Iterable[int], masked_ids: Sequence[int]) -> float:
    """The masked-LM accuracy of always giving the most frequent id of the training text."""
    [(most_frequent, _)] = Counter(training_ids).most_common(1)
    return masked_ids.count(most_frequent) / len(masked_ids)


def majority_share(labels: Sequence[int]) -> float:
    """The accuracy of always giving the most frequent of the labels."""
    return Counter(labels).most_common(1)[0][1] / len(labels)


def masked_ids_and_labels(
    input_files: Sequence[str], max_seq_length: int, max_predictions_per_seq: int
) -> tuple[list[int], list[int]]:
    """Returns the ids to predict and the next-sentence labels of all records."""
    ids, labels = [], []
    batches = evaluation_dataset(input_files, max_seq_length, max_predictions_per_seq, BATCH_SIZE)
    for features in batches.as_numpy_iterator():
        ids += features["masked_lm_ids"][features["masked_lm_weights"] > 0].tolist()
        labels += features["next_sentence_labels"].ravel().tolist()
    return ids, labels
