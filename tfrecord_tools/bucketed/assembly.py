"""Rows of texts -> arrays of tokens, padded, many rows at a time."""

from typing import NamedTuple

import numpy as np

from tfrecord_tools.bucketed.documents import Documents
from tfrecord_tools.bucketed.pairing import Rows
from tfrecord_tools.bucketed.ranges import ranges


class Batch(NamedTuple):
    """R rows of T tokens, not masked yet."""

    tokens: np.ndarray  # int32 [R, T]: [CLS] text [SEP] text [SEP] ..., then zeros
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
    first, end = np.searchsorted(rows.text_rows, [first_row, end_row])
    row = rows.text_rows[first:end] - first_row  # [K]
    starts, segments = rows.text_starts[first:end], rows.text_segments[first:end]
    lengths = rows.text_ends[first:end] - starts
    text_at, num_tokens = _places(row, lengths, end_row - first_row, max_seq_length)

    source = ranges(starts, lengths)
    target = ranges(text_at, lengths)
    shape = end_row - first_row, max_seq_length
    tokens = np.zeros(shape, np.int32)
    starts_word = np.zeros(shape, bool)
    is_text = np.zeros(shape, bool)
    segment_ids = np.zeros(shape, np.int32)
    tokens.ravel()[target] = documents.tokens[source]
    tokens.ravel()[text_at + lengths] = sep_id
    tokens[:, 0] = cls_id
    starts_word.ravel()[target] = documents.starts_word[source]
    starts_word.ravel()[text_at] = True  # a word may have been cut in front
    is_text.ravel()[target] = True
    segment_ids.ravel()[ranges(text_at, lengths + 1)] = np.repeat(segments, lengths + 1)
    labels = rows.labels[first_row:end_row]
    return Batch(tokens, segment_ids, starts_word, is_text, num_tokens, labels)


def _places(
    row: np.ndarray, lengths: np.ndarray, num_rows: int, max_seq_length: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where each text begins in the flat array of padded rows [K], and the tokens of each row [R].

    Args:
      row: the row of each text, ascending [K].
      lengths: tokens of each text, at least one [K].
    """
    # If texts with their [SEP] stood one after another, without [CLS] and padding ...
    ends = np.cumsum(lengths + 1)
    row_ends = np.zeros(num_rows, np.int64)
    row_ends[row] = ends  # of the texts of a row the last one counts
    row_starts = np.concatenate([[0], row_ends[:-1]])
    # ... and with them.
    text_at = ends - (lengths + 1) - row_starts[row] + 1 + row * max_seq_length
    return text_at, row_ends - row_starts + 1
