"""What a model makes of examples, in their order, whatever the batches and the devices were."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples
from bert_keras.data.length_batches import FILLED_ROW, ordered_batches
from bert_keras.fine_tuning.task import Outputs
from bert_keras.progress import Progress
from bert_keras.training.batches import evaluation_batches
from bert_keras.training.step import add_over_replicas, model_inputs
from bert_keras.training.stop import SharedStop, StopRequest

Predict = Callable[[EncodedExamples, int, str], Outputs | None]


def predictor(
    strategy: tf.distribute.Strategy, model: keras.Model, stop: StopRequest | SharedStop
) -> Predict:
    """Returns a function of examples, a batch size and what is being done -> `Outputs`.

    It returns None if a stop was requested before the end. Every worker runs all examples: so none
    has to send its outputs. It is traced once, however often it is called.
    """

    def on_replica(features, flag):
        outputs = model(model_inputs(model, features), training=False)
        # Of each replica its own tensor: of one for all there is nothing to add.
        num_stops = add_over_replicas(tf.identity(flag))
        return outputs | {"example_index": features["example_index"]}, num_stops

    @tf.function(reduce_retracing=True)  # batches differ in length
    def run(features, flag):
        outputs, num_stops = tf.nest.map_structure(
            strategy.experimental_local_results, strategy.run(on_replica, (features, flag))
        )
        return {name: tf.concat(rows, axis=0) for name, rows in outputs.items()}, num_stops[0]

    def batches_of(examples, batch_size):
        return evaluation_batches(
            strategy,
            lambda worker_index, num_workers: ordered_batches(examples, batch_size // num_workers),
            batch_size,
        )

    def predict(examples, batch_size, what):
        found = [None] * len(examples.lengths)
        with Progress(what, total=len(found), unit=" examples") as progress:
            for features in batches_of(examples, batch_size):
                outputs, num_stops = run(features, tf.constant(stop.flag))
                stop.note(num_stops)
                if stop.reason:
                    return None
                progress.advance(_put(outputs, found))
        return {name: [row[name] for row in found] for name in found[0]}

    return predict


def _put(outputs: dict[str, tf.Tensor], found: list[dict[str, np.ndarray] | None]) -> int:
    """Puts the rows of a batch where their examples are; returns how many these were."""
    outputs = {name: values.numpy() for name, values in outputs.items()}
    indices = outputs.pop("example_index")
    for row, index in enumerate(indices):
        if index != FILLED_ROW:
            found[index] = {name: values[row].copy() for name, values in outputs.items()}
    return int(np.sum(indices != FILLED_ROW))
