"""Sequences -> what a model makes of them, in a graph."""

from collections.abc import Callable

import keras
import tensorflow as tf

from bert_keras.serving.in_graph.rows import Rows

ROWS_AT_A_TIME = 32  # so that the windows of a long text do not take all memory

Tensors = dict[str, tf.Tensor]  # by name
# Inputs of a model by name -> its outputs by name, as `keras.Model.output` has them.
Call = Callable[[Tensors], Tensors]


def run(model: keras.Model, rows: Rows, call: Call | None = None) -> Tensors:
    """The outputs of a model, of R rows; of positions behind a row's own they mean nothing.

    All rows are filled up to the length of the longest. The model sees 32 rows at a time.

    Args:
        model: takes the usual inputs, [R, T] or, of several choices, [R, 1, T]; and what it takes
            besides by the name that `rows.places` has for it, [R, ...].
        rows: they may be none.
        call: computes the model; by default the model itself, in inference.
    """
    call = call or (lambda inputs: model(inputs, training=False))
    inputs = _inputs(model, rows)
    num_rows = rows.ids.nrows(tf.int32)

    def outputs_of(start):
        return call(
            {name: values[start : start + ROWS_AT_A_TIME] for name, values in inputs.items()}
        )

    def add(start, outputs):
        more = outputs_of(start)
        joined = {name: tf.concat([outputs[name], more[name]], axis=0) for name in outputs}
        return start + ROWS_AT_A_TIME, joined

    # The first rows come before the loop: mostly there are no others, and of no rows it makes
    # outputs of their shape.
    outputs = outputs_of(0)
    shapes = {name: tf.TensorShape([None, *values.shape[1:]]) for name, values in outputs.items()}
    _, outputs = tf.while_loop(
        lambda start, _: start < num_rows,
        add,
        (tf.constant(ROWS_AT_A_TIME), outputs),
        shape_invariants=(tf.TensorShape([]), shapes),
        parallel_iterations=1,
    )
    return outputs


def _inputs(model: keras.Model, rows: Rows) -> Tensors:
    lengths = rows.ids.row_lengths()
    length = tf.maximum(tf.reduce_max(lengths), 1)  # also of no rows: a model pools some position
    shape = tf.stack([rows.ids.nrows(), length])
    available = {
        "input_ids": rows.ids.to_tensor(shape=shape),  # [R, T]
        "input_mask": tf.sequence_mask(lengths, length, tf.int32),
        "segment_ids": rows.segment_ids.to_tensor(shape=shape),
    }
    if len(model.input["input_ids"].shape) == 3:  # a choice is a sequence of its own
        available = {name: values[:, tf.newaxis] for name, values in available.items()}
    available |= {name: rows.places[name] for name in model.input if name not in available}
    return {name: available[name] for name in model.input}
