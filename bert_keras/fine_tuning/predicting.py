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
from bert_keras.training.step import model_inputs
from bert_keras.training.stop import SharedStop, StopRequest

Predict = Callable[[EncodedExamples, int, str], Outputs | None]


def predictor(
    strategy: tf.distribute.Strategy, model: keras.Model, stop: StopRequest | SharedStop
) -> Predict:
    """Returns a function of examples, a batch size and what is being done -> `Outputs`.

    It returns None if a stop was requested before the end. Every worker gets the outputs of all
    examples. It is traced once, however often it is called.
    """

    @tf.function(reduce_retracing=True)
    def run(features, flag):
        def on_replica(features, flag):
            outputs = model(model_inputs(model, features), training=False)
            return outputs | {"example_index": features["example_index"]}, flag[tf.newaxis]

        outputs, flags = strategy.run(on_replica, (features, flag))
        gathered = tf.nest.map_structure(lambda rows: strategy.gather(rows, axis=0), outputs)
        return gathered, tf.reduce_sum(strategy.gather(flags, axis=0))

    def predict(examples, batch_size, what):
        found = [None] * len(examples.lengths)
        batches = evaluation_batches(
            strategy, lambda **worker: ordered_batches(examples, batch_size, **worker), batch_size
        )
        with Progress(what, total=len(found), unit=" examples") as progress:
            for features in batches:
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
