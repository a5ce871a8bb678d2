"""Sequences -> what a model makes of them, in a graph: those of about one length together."""

from collections.abc import Callable

import keras
import tensorflow as tf

from bert_keras.data.encoded import INPUTS
from bert_keras.serving.in_graph.rows import Rows, Tensors

ROWS_AT_A_TIME = 32  # so that the windows of a long text do not take all memory
# Positions filled up with 0 that cost less than another call of the model does: on a CPU, reading
# its weights once more takes as long as some fifty positions. On a GPU nothing was measured.
PADDING_AT_A_TIME = 64

# Inputs of a model by name -> its outputs by name, as `keras.Model.output` has them, in float32.
Call = Callable[[Tensors], Tensors]


def run_in_groups(model: keras.Model, rows: Rows, call: Call | None = None) -> Tensors:
    """The outputs of a model, of R rows; of positions behind a row's own they mean nothing.

    The model sees rows of about one length together, at most 32, the longest first. The outputs are
    in the order of the rows and have as many positions as the longest of them.

    Args:
        model: takes the usual inputs, [R, T] or, of several choices, [R, 1, T]; and what it takes
            besides by the name that `rows.places` has for it, [R, ...].
        rows: they may be none.
        call: computes the model; by default the model itself, in inference.
    """
    call = call or (lambda inputs: model(inputs, training=False))
    lengths = tf.cast(rows.ids.row_lengths(), tf.int32)
    longest_first = tf.argsort(lengths, direction="DESCENDING", stable=True)
    lengths = tf.gather(lengths, longest_first)
    inputs = {
        name: tf.gather(values, longest_first) for name, values in _inputs(model, rows).items()
    }

    def outputs_from(start):
        end = start + _num_together(lengths[start : start + ROWS_AT_A_TIME])
        longest = _longest(lengths[start:end])
        together = {name: values[start:end] for name, values in inputs.items()}
        tokens = {name: together[name][..., :longest] for name in INPUTS}
        return end, call(together | tokens)

    def add(start, parts):
        end, outputs = outputs_from(start)
        return end, {
            name: part.write(part.size(), _filled_up(outputs[name], first[name]))
            for name, part in parts.items()
        }

    # The first rows come before the loop: a single text has no others, and of no rows it makes
    # outputs of their shape.
    end, first = outputs_from(0)
    _, parts = tf.while_loop(
        lambda end, _: end < tf.size(lengths),
        add,
        (end, {name: _parts(values) for name, values in first.items()}),
        parallel_iterations=1,
    )
    in_order = tf.argsort(longest_first)
    return {name: tf.gather(part.concat(), in_order) for name, part in parts.items()}


def _num_together(lengths: tf.Tensor) -> tf.Tensor:
    """How many of the first rows are about as long as the very first, of lengths that fall."""
    padding = tf.cumsum(lengths[:1] - lengths)
    return tf.reduce_sum(tf.cast(padding <= PADDING_AT_A_TIME, tf.int32))


def _longest(lengths: tf.Tensor) -> tf.Tensor:
    """At least 1, also of no rows: a model pools some position."""
    return tf.maximum(tf.reduce_max(lengths), 1)


def _parts(first: tf.Tensor) -> tf.TensorArray:
    """Outputs of some rows, to which those of others will come."""
    parts = tf.TensorArray(
        first.dtype,
        size=1,
        dynamic_size=True,
        infer_shape=False,
        element_shape=[None, *first.shape[1:]],
    )
    return parts.write(0, first)


def _filled_up(outputs: tf.Tensor, first: tf.Tensor) -> tf.Tensor:
    """As many positions, the second axis if there is one, as outputs of longer rows have."""
    if outputs.shape.rank == 1:
        return outputs
    missing = tf.shape(first)[1] - tf.shape(outputs)[1]
    return tf.pad(outputs, [[0, 0], [0, missing]] + [[0, 0]] * (outputs.shape.rank - 2))


def _inputs(model: keras.Model, rows: Rows) -> Tensors:
    lengths = rows.ids.row_lengths()
    length = _longest(lengths)
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
