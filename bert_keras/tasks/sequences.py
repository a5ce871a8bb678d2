"""Texts, and pairs of texts, as sequences of a model: `[CLS] a [SEP]`, `[CLS] a [SEP] b [SEP]`.

`convert_examples_to_features` of run_classifier.py of google-research/bert.
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class EncodedSequence(NamedTuple):
    """The ids and the segments of T tokens, int32 [T] each."""

    ids: np.ndarray
    segment_ids: np.ndarray


def encode_sequences(
    pairs: Iterable[tuple[list[str], list[str]]],
    num_pairs: int,
    tokenizer: WordPieceTokenizer,
    max_seq_length: int,
    name: str,
) -> list[EncodedSequence]:
    """Encodes pairs of texts, and says how fast and how many were cut.

    Args:
        pairs: the word pieces of both texts; none of the second where there is one text.
        num_pairs: how many pairs there are.
        tokenizer: knows the ids of the pieces.
        max_seq_length: the most tokens of a sequence.
        name: what the sequences are called in messages.
    """
    sequences, num_tokens, num_cut = [], 0, 0
    begin = time.monotonic()
    with Progress(f"tokenizing {name}", total=num_pairs, unit=" sequences") as progress:
        for pieces_a, pieces_b in pairs:
            pieces, segment_ids = pack(pieces_a, pieces_b, max_seq_length)
            ids = tokenizer.convert_tokens_to_ids(pieces)
            sequences.append(
                EncodedSequence(np.array(ids, np.int32), np.array(segment_ids, np.int32))
            )
            num_special = 3 if pieces_b else 2
            num_cut += len(pieces_a) + len(pieces_b) + num_special > len(pieces)
            num_tokens += len(pieces)
            progress.advance()
    rate = num_tokens / max(time.monotonic() - begin, 1e-9)
    notify(
        f"{name}: {num_pairs} sequences of {num_tokens} tokens, {rate:.0f} tokens/s; "
        f"{num_cut} were cut to --max_seq_length={max_seq_length}"
    )
    return sequences
