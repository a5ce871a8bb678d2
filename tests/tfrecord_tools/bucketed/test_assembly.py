"""Rows of texts as padded arrays, by hand."""

import numpy as np

from tfrecord_tools.bucketed.assembly import assemble
from tfrecord_tools.bucketed.documents import from_sentences
from tfrecord_tools.bucketed.pairing import Rows

CLS, SEP = 2, 3


def test_texts_stand_between_their_special_tokens():
    tokens = np.arange(10, 20, dtype=np.int32)
    starts_word = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 1], bool)
    documents = from_sentences(np.array([1]), np.array([10]), tokens, starts_word, ["x:1"])
    rows = Rows(
        text_rows=np.array([0, 0, 1, 2, 2, 2]),
        text_segments=np.array([0, 1, 0, 0, 0, 0]),
        text_starts=np.array([0, 5, 7, 2, 4, 9]),
        text_ends=np.array([2, 7, 10, 4, 5, 10]),
        labels=np.array([1, 0, 0]),
        num_dropped_tokens=0,
        num_left_out_tokens=0,
    )
    batch = assemble(rows, 0, 3, documents, 9, CLS, SEP)
    assert batch.tokens.tolist() == [
        [2, 10, 11, 3, 15, 16, 3, 0, 0],
        [2, 17, 18, 19, 3, 0, 0, 0, 0],
        [2, 12, 13, 3, 14, 3, 19, 3, 0],
    ]
    assert batch.segment_ids.tolist() == [
        [0, 0, 0, 0, 1, 1, 1, 0, 0],
        [0] * 9,
        [0] * 9,
    ]
    assert batch.is_text.astype(int).tolist() == [
        [0, 1, 1, 0, 1, 1, 0, 0, 0],
        [0, 1, 1, 1, 0, 0, 0, 0, 0],
        [0, 1, 1, 0, 1, 0, 1, 0, 0],
    ]
    # The first token of a text begins a word, also where its beginning was cut off.
    assert batch.starts_word.astype(int).tolist() == [
        [0, 1, 1, 0, 1, 1, 0, 0, 0],
        [0, 1, 1, 1, 0, 0, 0, 0, 0],
        [0, 1, 1, 0, 1, 0, 1, 0, 0],
    ]
    assert batch.num_tokens.tolist() == [7, 5, 8]
    assert batch.labels.tolist() == [1, 0, 0]
    part = assemble(rows, 1, 3, documents, 9, CLS, SEP)
    for whole, of_part in zip(batch, part, strict=True):
        np.testing.assert_array_equal(whole[1:], of_part)
