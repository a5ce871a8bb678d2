"""Rows of ids that differ in length: servers take rectangles only."""

from collections.abc import Mapping, Sequence
from typing import Any

IDS, MASK, SEGMENTS = "input_ids", "input_mask", "segment_ids"


def padded(inputs: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Fills the rows of `input_ids` up to the longest, and says by `input_mask` where that is.

    Args:
        inputs: name -> B values; of ids, mask and segments B rows of numbers, [T] of any T.

    Returns:
        The same with rows of one length, filled up with 0, if they were not.
    """
    rows = inputs.get(IDS, ())
    lengths = {len(row) for row in rows if isinstance(row, Sequence)}
    if len(lengths) < 2:
        return dict(inputs)
    masks = {MASK: [[1] * len(row) for row in rows]}
    length = max(lengths)
    return {
        name: [[*row, *[0] * (length - len(row))] for row in values]
        if name in (IDS, MASK, SEGMENTS)
        else values
        for name, values in {**masks, **inputs}.items()
    }
