"""Rows that differ in length: servers take rectangles only."""

from collections.abc import Mapping, Sequence
from typing import Any

from bert_keras.errors import InputError

IDS, MASK, SEGMENTS, WORDS = "input_ids", "input_mask", "segment_ids", "words"
WITHOUT_MASK = "token_ids"  # a signature


def padded(inputs: Mapping[str, Sequence[Any]], signature: str = "tokens") -> dict[str, Any]:
    """Fills the rows of `input_ids` up to the longest, and says by `input_mask` where that is.

    The words of texts are filled up with "". All else stays as it is: rows of one length, ids of
    choices, arrays.

    Args:
        inputs: name -> B values; of ids B rows of numbers, [T] of any T; of mask and segments as
            many, each as long as its ids, or one value for all, [[1]].
        signature: what is asked.

    Returns:
        The same with rows of one length, filled up with 0, if they were not. A mask of one value
        becomes one of rows.

    Raises:
        InputError: rows differ in length, and are no rows of numbers, or differ from their ids, or
            the signature takes no mask.
    """
    filled = dict(inputs)
    if _differ(inputs.get(WORDS)):
        filled[WORDS] = _filled(WORDS, inputs[WORDS], "")
    rows = inputs.get(IDS)
    if not _differ(rows):
        return filled
    if signature == WITHOUT_MASK:
        raise InputError(
            f"Rows that differ in length need a mask: ask the signature tokens. Received: "
            f"{WITHOUT_MASK} with {rows!r:.200}"
        )
    filled[IDS] = _filled(IDS, rows, 0)
    for name in (MASK, SEGMENTS):
        if name in inputs or name == MASK:
            filled[name] = _filled(name, _of_rows(name, inputs.get(name, [[1]]), rows), 0)
    return filled


def _differ(rows: Any) -> bool:
    """Whether some are rows, as a list has them, of different lengths."""
    if not isinstance(rows, list | tuple):
        return False
    is_row = [isinstance(row, list | tuple) for row in rows]
    return any(is_row) and (not all(is_row) or len({*map(len, rows)}) > 1)


def _of_rows(name: str, values: Any, rows: Sequence[Sequence[int]]) -> Sequence[Any]:
    """A value for each of the ids: those given, or of one for all as many."""
    if isinstance(values, list | tuple) and len(values) == 1 and len(rows) > 1:
        [one] = values
        if isinstance(one, list | tuple) and len(one) == 1:
            return [[*one] * len(row) for row in rows]
    lengths = [*map(len, rows)]
    if not isinstance(values, list | tuple) or [*map(_length, values)] != lengths:
        raise InputError(
            f"{name} must have as many values as {IDS}, {lengths}, or one for all, [[1]]. "
            f"Received: {values!r:.200}"
        )
    return values


def _length(row: Any) -> int:
    return len(row) if isinstance(row, list | tuple) else -1


def _filled(name: str, rows: Sequence[Any], filling: Any) -> list[list[Any]]:
    is_flat = all(
        isinstance(row, list | tuple) and not any(isinstance(one, list | tuple) for one in row)
        for row in rows
    )
    if not is_flat:
        raise InputError(
            f"{name} must be a list for each input, of one length if they hold lists. "
            f"Received: {rows!r:.200}"
        )
    length = max(map(len, rows))
    return [[*row, *[filling] * (length - len(row))] for row in rows]
