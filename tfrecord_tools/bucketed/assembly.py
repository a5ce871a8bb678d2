"""Rows of pieces -> arrays of tokens, padded, many rows at a time."""

from typing import NamedTuple

import numpy as np

from tfrecord_tools.bucketed.documents import Documents
from tfrecord_tools.bucketed.pairing import Rows
from tfrecord_tools.bucketed.ranges import ranges


class Batch(NamedTuple):
    """R rows of T tokens, not masked yet."""

    tokens: np.ndarray  # int32 [R, T]: [CLS] piece [SEP] piece [SEP] ..., then zeros
    segment_ids: np.ndarray  # int32 [R, T]
    starts_word: np.ndarray  # bool [R, T]
    is_text: np.ndarray  # bool [R, T]: neither special nor padding
    num_tokens: np.ndarray  # int64 [R], special ones included
    labels: np.ndarray  # int64 [R]


def assemble(
    rows: Rows,
    first_row: int,
    end_row: int,
    documents: Documents,
    max_seq_length: int,
    cls_id: int,
    sep_id: int,
) -> Batch:
    """The rows first_row..end_row as arrays."""
    first, end = np.searchsorted(rows.piece_rows, [first_row, end_row])
    row = rows.piece_rows[first:end] - first_row  # [K]
    starts, segments = rows.piece_starts[first:end], rows.piece_segments[first:end]
    lengths = rows.piece_ends[first:end] - starts
    # Where pieces begin if rows are written one after another, each with its [CLS] ...
    ends = np.cumsum(lengths + 1)
    num_rows = end_row - first_row
    row_ends = np.zeros(num_rows, np.int64)
    row_ends[row] = ends  # of the pieces of a row the last one counts
    row_starts = np.concatenate([[0], row_ends[:-1]])
    # ... and where in the padded array.
    piece_at = ends - (lengths + 1) - row_starts[row] + 1 + row * max_seq_length

    source = ranges(starts, lengths)
    target = ranges(piece_at, lengths)
    shape = num_rows, max_seq_length
    tokens = np.zeros(shape, np.int32)
    starts_word = np.zeros(shape, bool)
    is_text = np.zeros(shape, bool)
    segment_ids = np.zeros(shape, np.int32)
    tokens.ravel()[target] = documents.tokens[source]
    tokens.ravel()[piece_at + lengths] = sep_id
    tokens[:, 0] = cls_id
    starts_word.ravel()[target] = documents.starts_word[source]
    starts_word.ravel()[piece_at[lengths > 0]] = True  # a word that was cut in front
    is_text.ravel()[target] = True
    segment_ids.ravel()[ranges(piece_at, lengths + 1)] = np.repeat(segments, lengths + 1)
    return Batch(
        tokens=tokens,
        segment_ids=segment_ids,
        starts_word=starts_word,
        is_text=is_text,
        num_tokens=row_ends - row_starts + 1,
        labels=rows.labels[first_row:end_row],
    )
