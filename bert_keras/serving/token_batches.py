"""Examples through a function of one batch, without TensorFlow's pipelines."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.data.length_batches import single_batch

# Name of an input -> its values of one batch, int32 [B, T], [B, C, T] or [B, P].
Inputs = Mapping[str, np.ndarray]


def outputs_of(
    run: Callable[[Inputs], Mapping[str, np.ndarray]],
    input_names: Collection[str],
    output_names: Collection[str],
    examples: EncodedExamples,
    batch_size: int,
    advance: Callable[[int], None],
    padded_length: int | None = None,
) -> Outputs:
    """What `run` makes of examples, in their order; the longest are run first.

    Args:
        run: function of the inputs of a batch -> its outputs [B, ...] by name.
        input_names: what it takes, each from `examples.tokens` or `examples.values`.
        output_names: what it returns.
        examples: they may be none.
        batch_size: the most examples of a batch.
        advance: is told how many examples more are done.
        padded_length: positions that every batch gets; None: those of its longest example.
    """
    found: dict[str, list[Any]] = {name: [None] * len(examples.lengths) for name in output_names}
    longest_first = np.argsort(-examples.lengths, kind="stable")
    for start in range(0, len(longest_first), batch_size):
        rows = longest_first[start : start + batch_size]
        batch = single_batch(_chosen(examples, rows), padded_length)
        outputs = run({name: batch[name] for name in input_names})
        for name in output_names:
            for row, values in zip(rows, outputs[name], strict=True):
                found[name][row] = np.array(values)
        advance(len(rows))
    return found


def _chosen(examples: EncodedExamples, rows: np.ndarray) -> EncodedExamples:
    return EncodedExamples(
        {name: [arrays[row] for row in rows] for name, arrays in examples.tokens.items()},
        {name: values[rows] for name, values in examples.values.items()},
    )
