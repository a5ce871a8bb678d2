"""How the rows of a batch come to the replicas, with the split that every strategy uses.

A strategy is only asked for its numbers and for `distribute_datasets_from_function`.
"""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.order import rows_of_worker
from bert_keras.training.batches import evaluation_batches, training_batches

NUM_EXAMPLES = 21
BATCH_SIZE = 8


class Worker:
    """Stands for one worker's side of a strategy: its batches come one replica after the other."""

    def __init__(self, index, num_workers, num_replicas):
        self.num_replicas_in_sync = num_replicas
        self._context = tf.distribute.InputContext(num_workers, index, num_replicas)

    def distribute_datasets_from_function(self, dataset):
        return dataset(self._context)


def dataset(worker_index, num_workers):
    """Batches of numbers from 1 on, the worker's rows of each; the last one is not full."""
    rows = rows_of_worker(BATCH_SIZE, worker_index, num_workers)
    numbers = tf.data.Dataset.range(1, NUM_EXAMPLES + 1, output_type=tf.int32)
    batches = numbers.batch(BATCH_SIZE).map(lambda batch: batch[rows])
    return batches.map(lambda batch: {"x": batch, "y": tf.cast(batch[:, None], tf.float32)})


def batches_of_replicas(distribute, dataset, num_workers, num_replicas):
    """[replicas] of [batches] of features; of endless ones the first four batches."""
    replicas, num_local = [], num_replicas // num_workers
    for index in range(num_workers):
        batches = distribute(Worker(index, num_workers, num_replicas), dataset, BATCH_SIZE)
        of_worker = list(itertools.islice(batches, 4 * num_local))
        replicas += [of_worker[local::num_local] for local in range(num_local)]
    return replicas


SHARES = [(1, 1), (1, 2), (1, 8), (2, 2), (2, 4), (4, 8)]  # workers, replicas


@pytest.mark.parametrize("num_workers, num_replicas", SHARES)
def test_every_example_is_evaluated_once_and_the_rest_are_zeros(num_workers, num_replicas):
    replicas = batches_of_replicas(evaluation_batches, dataset, num_workers, num_replicas)
    for number in range(3):
        rows = np.concatenate([batches[number]["x"] for batches in replicas])
        expected = np.arange(1, NUM_EXAMPLES + 1)[number * BATCH_SIZE :][:BATCH_SIZE]
        np.testing.assert_array_equal(rows, np.pad(expected, [0, BATCH_SIZE - len(expected)]))
    for batches in replicas:
        assert len(batches) == 3
        for features in batches:
            np.testing.assert_array_equal(features["y"][:, 0], features["x"])


@pytest.mark.parametrize("num_workers, num_replicas", SHARES)
def test_training_gives_each_replica_its_rows_in_their_order(num_workers, num_replicas):
    def full(**worker):
        return dataset(**worker).take(2).repeat()

    replicas = batches_of_replicas(training_batches, full, num_workers, num_replicas)
    for number, start in enumerate((1, 9, 1, 9)):
        rows = np.concatenate([batches[number]["x"] for batches in replicas])
        np.testing.assert_array_equal(rows, np.arange(start, start + BATCH_SIZE))


@pytest.mark.parametrize("distribute", [training_batches, evaluation_batches])
def test_shapes_are_static(distribute):
    spec = distribute(Worker(0, 1, 2), dataset, BATCH_SIZE).element_spec
    assert spec == {"x": tf.TensorSpec([4], tf.int32), "y": tf.TensorSpec([4, 1], tf.float32)}


def test_workers_need_not_ask_each_other_whether_there_is_one_more_batch():
    batches = training_batches(Worker(0, 2, 2), dataset, BATCH_SIZE)
    assert batches.cardinality() == tf.data.INFINITE_CARDINALITY
