"""What a model makes of examples, in their order, whatever the batches and the devices were."""

import functools
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.data.length_batches import FILLED_ROW, longest_first_batches, single_batch
from bert_keras.training.batches import evaluation_batches
from bert_keras.training.step import add_over_replicas, model_inputs
from bert_keras.training.stop import SharedStop, StopRequest


class Inference:
    """Runs a model on examples, batch by batch; traced once, however often it is used.

    Every worker runs all examples: so none has to send its outputs.

    Args:
        strategy: the devices; the model was made in its scope.
        model: takes its inputs by name; its outputs are a dict.
        stop: ends a prediction early.
        padded_length: positions that every batch gets; None: those of its longest example.
    """

    def __init__(
        self,
        strategy: tf.distribute.Strategy,
        model: keras.Model,
        stop: StopRequest | SharedStop,
        padded_length: int | None = None,
    ):
        self._strategy = strategy
        self._model = model
        self._stop = stop
        self._padded_length = padded_length
        # A partial is a function of its own: of a method TensorFlow counts the traces of all models
        # together, and warns of too many. Batches differ in length.
        self._run_compiled = tf.function(functools.partial(self._run_batch), reduce_retracing=True)

    def run(
        self, examples: EncodedExamples, batch_size: int, advance: Callable[[int], None]
    ) -> Outputs | None:
        """Returns the outputs of all examples; None if a stop was requested before the end.

        Args:
            examples: they may be none.
            batch_size: examples of a batch, over all replicas.
            advance: is told how many examples more are done.
        """
        if not len(examples.lengths):  # such as the windows of empty texts
            return {name: [] for name in self._model.output}
        found = [None] * len(examples.lengths)
        for features in self._batches(examples, batch_size):
            outputs, num_stops = self._run_compiled(features, tf.constant(self._stop.flag))
            self._stop.note(num_stops)
            if self._stop.reason:
                return None
            advance(_put(outputs, found))
        return {name: [row[name] for row in found] for name in found[0]}

    def _batches(self, examples, batch_size):
        if len(examples.lengths) <= batch_size and self._strategy.num_replicas_in_sync == 1:
            return [single_batch(examples, self._padded_length)]  # a pipeline takes longer to start

        def of_worker(worker_index, num_workers):
            return longest_first_batches(examples, batch_size // num_workers, self._padded_length)

        return evaluation_batches(self._strategy, of_worker, batch_size)

    def _run_batch(self, features, flag):
        """The outputs of all local replicas, and how many replicas were asked to stop."""
        outputs, num_stops = tf.nest.map_structure(
            self._strategy.experimental_local_results,
            self._strategy.run(self._run_replica, (features, flag)),
        )
        return {name: tf.concat(rows, axis=0) for name, rows in outputs.items()}, num_stops[0]

    def _run_replica(self, features, flag):
        outputs = self._model(model_inputs(self._model, features), training=False)
        # Of each replica its own tensor: of one for all there is nothing to add.
        num_stops = add_over_replicas(tf.identity(flag))
        return outputs | {"example_index": features["example_index"]}, num_stops


def _put(outputs: dict[str, tf.Tensor], found: list[dict[str, np.ndarray] | None]) -> int:
    """Puts the rows of a batch where their examples are; returns how many these were."""
    outputs = {name: values.numpy() for name, values in outputs.items()}
    indices = outputs.pop("example_index")
    for row, index in enumerate(indices):
        if index != FILLED_ROW:
            found[index] = {name: values[row].copy() for name, values in outputs.items()}
    return int(np.sum(indices != FILLED_ROW))
