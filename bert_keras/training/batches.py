"""The batches of all devices: each replica gets its rows of every global batch, in their order.

`experimental_distribute_dataset` would shard files or whole batches over several workers and lets
the shapes of the last batch differ; here the rows are those of one device, and their number is
the same in every batch, as a TPU needs it.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

# Of `worker_index` and `num_workers`: that worker's rows of every global batch.
DatasetOfWorker = Callable[..., tf.data.Dataset]


def training_batches(
    strategy: tf.distribute.Strategy, dataset_of_worker: DatasetOfWorker, batch_size: int
) -> Any:
    """Returns an endless distributed dataset of full batches.

    Args:
        strategy: the devices.
        dataset_of_worker: function of `worker_index` and `num_workers` -> endless batches of
            features, the worker's rows of each.
        batch_size: rows of a global batch, a multiple of the number of replicas.
    """

    def of_replicas(dataset, num_replicas, num_rows):
        split = _split(dataset, num_replicas, num_rows, _with_shape)
        # Otherwise the workers would ask each other in every step whether there is one more.
        return split.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))

    return _distributed(strategy, dataset_of_worker, batch_size, of_replicas)


def evaluation_batches(
    strategy: tf.distribute.Strategy, dataset_of_worker: DatasetOfWorker, batch_size: int
) -> Any:
    """Returns a distributed dataset of one pass, its last batch filled up with rows of zeros.

    A row of zeros counts nothing: the weights of what is scored are features, 0 in it.

    Args:
        strategy: the devices.
        dataset_of_worker: function of `worker_index` and `num_workers` -> batches of features, the
            worker's rows of each; as many for every worker, the last one may have fewer rows.
        batch_size: rows of a global batch, a multiple of the number of replicas.
    """

    def of_replicas(dataset, num_replicas, num_rows):
        return _split(dataset, num_replicas, num_rows, _filled_up)

    return _distributed(strategy, dataset_of_worker, batch_size, of_replicas)


def _distributed(strategy, dataset_of_worker, batch_size, of_replicas):
    num_rows = batch_size // strategy.num_replicas_in_sync

    def dataset(context):
        num_workers = context.num_input_pipelines
        num_replicas = context.num_replicas_in_sync // num_workers
        rows = dataset_of_worker(worker_index=context.input_pipeline_id, num_workers=num_workers)
        return of_replicas(rows, num_replicas, num_rows).prefetch(tf.data.AUTOTUNE)

    return strategy.distribute_datasets_from_function(dataset)


def _split(dataset, num_replicas, num_rows, finish):
    """A worker's batches -> the batches of its replicas, one after the other."""

    def of_replica(features, index):
        start = index * num_rows
        return {
            name: finish(values[start : start + num_rows], num_rows)
            for name, values in features.items()
        }

    if num_replicas == 1:
        return dataset.map(lambda features: of_replica(features, 0))
    return dataset.flat_map(
        lambda features: tf.data.Dataset.range(num_replicas).map(
            lambda index: of_replica(features, tf.cast(index, tf.int32))
        )
    )


def _with_shape(values, num_rows):
    return tf.ensure_shape(values, [num_rows, *values.shape[1:]])


def _filled_up(values, num_rows):
    missing = num_rows - tf.shape(values)[0]
    padding = [[0, missing], *([[0, 0]] * (values.shape.rank - 1))]
    return _with_shape(tf.pad(values, padding), num_rows)
