"""One or two texts as one sequence: `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]` (paper, section 3).

`convert_single_example` and `_truncate_seq_pair` of run_classifier.py of google-research/bert.
Loads no TensorFlow.
"""

from collections.abc import Sequence
from typing import NamedTuple

from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR


class Packed(NamedTuple):
    """A sequence of T tokens.

    Attributes:
        pieces: T pieces, the special tokens among them.
        segment_ids: T numbers: 0 up to the first [SEP], 1 after it.
    """

    pieces: list[str]
    segment_ids: list[int]


def pack(pieces_a: Sequence[str], pieces_b: Sequence[str], max_seq_length: int) -> Packed:
    """Cuts two texts to what fits and joins them; without pieces of b it has no [SEP] of its own.

    An empty a stays a text: `[CLS] [SEP] b [SEP]`. `max_seq_length` is at least 3.

    Raises:
        InputError: a text is not in pieces.
    """
    for pieces in (pieces_a, pieces_b):
        if isinstance(pieces, str):
            raise InputError(
                "pack takes the pieces of a text: tokenizer.tokenize(text). "
                f"Received: {pieces!r:.100}"
            )
    if pieces_b:
        pieces_a, pieces_b = truncate_pair(pieces_a, pieces_b, max_seq_length - 3)
    else:
        pieces_a = pieces_a[: max_seq_length - 2]
    pieces = [CLASSIFICATION, *pieces_a, SEPARATOR]
    segment_ids = [0] * len(pieces)
    if pieces_b:
        pieces += [*pieces_b, SEPARATOR]
        segment_ids += [1] * (len(pieces_b) + 1)
    return Packed(pieces, segment_ids)


def truncate_pair(a: Sequence, b: Sequence, max_num_tokens: int) -> tuple[Sequence, Sequence]:
    """Both texts without the last tokens of the longer one, so many that they fit together.

    The original takes them one by one, off b where both are equally long. So a text that has no
    more than its half stays whole, and the odd token is a's.
    """
    if len(a) + len(b) <= max_num_tokens:
        return a, b
    num_b = min(len(b), max(max_num_tokens // 2, max_num_tokens - len(a)))
    return a[: max_num_tokens - num_b], b[:num_b]
