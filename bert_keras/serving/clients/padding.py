"""Rows of ids that differ in length: servers take rectangles only."""

from collections.abc import Mapping, Sequence
from typing import Any

IDS, MASK, SEGMENTS = "input_ids", "input_mask", "segment_ids"


def padded(inputs: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Fills the rows of `input_ids` up to the longest, and says by `input_mask` where that is.

    Args:
        inputs: name -> B values; of ids B rows of numbers, [T] of any T; of mask and segments as
            many, each as long as its ids, or one value for all, [[1]].

    Returns:
        The same with rows of one length, filled up with 0, if they were not. A mask of one value
        becomes one of rows.
    """
    rows = inputs.get(IDS, ())
    lengths = {len(row) for row in rows if isinstance(row, Sequence)}
    if len(lengths) < 2:
        return dict(inputs)
    for name in (MASK, SEGMENTS):
        if name in inputs and [len(row) for row in inputs[name]] == [1]:
            [[value]] = inputs[name]
            inputs = {**inputs, name: [[value] * len(row) for row in rows]}
    masks = {MASK: [[1] * len(row) for row in rows]}
    length = max(lengths)
    return {
        name: [[*row, *[0] * (length - len(row))] for row in values]
        if name in (IDS, MASK, SEGMENTS)
        else values
        for name, values in {**masks, **inputs}.items()
    }
