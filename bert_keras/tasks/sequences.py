"""Texts, and pairs of texts, as sequences of a model: `[CLS] a [SEP]`, `[CLS] a [SEP] b [SEP]`.

`convert_examples_to_features` of run_classifier.py of google-research/bert.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class EncodedSequence(NamedTuple):
    """T tokens: their ids and segments, int32 [T] each; whether some did not fit."""

    ids: np.ndarray
    segment_ids: np.ndarray
    is_cut: bool


def encode(
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    second_texts: Sequence[str] | None = None,
    max_seq_length: int = 128,
    values: Mapping[str, np.ndarray] | None = None,
) -> EncodedExamples:
    """Encodes texts, or pairs of texts, for any model of one sequence.

    Args:
        tokenizer: that of the model.
        texts: N texts; the first ones of pairs. One may be empty.
        second_texts: the second ones of the pairs, as many.
        max_seq_length: the most tokens of an example, [CLS] and [SEP] included; longer texts are
            cut, of a pair the longer one first.
        values: name -> array [N, ...] of what else the batches are to hold: `label_ids`.

    Raises:
        InputError: one text alone, not in a list; other numbers of second texts or values.
    """
    for name, of_name in {"texts": texts, "second_texts": second_texts, **(values or {})}.items():
        if isinstance(of_name, str):
            raise InputError(f"{name} must be a list of texts. Received: {of_name!r:.100}")
        if of_name is not None and len(of_name) != len(texts):
            raise InputError(
                f"There must be as many {name} as texts, {len(texts)}. Received: {len(of_name)}"
            )
    pairs = zip(texts, second_texts or [""] * len(texts), strict=True)
    sequences = [
        encode_pair(tokenizer.tokenize(a), tokenizer.tokenize(b), tokenizer, max_seq_length)
        for a, b in pairs
    ]
    return examples_of(sequences, values)


def examples_of(
    sequences: Sequence[EncodedSequence], values: Mapping[str, np.ndarray] | None = None
) -> EncodedExamples:
    """Sequences as examples, with values of N rows."""
    return EncodedExamples.of_sequences(
        [sequence.ids for sequence in sequences],
        [sequence.segment_ids for sequence in sequences],
        values,
    )


def encode_pair(
    pieces_a: list[str], pieces_b: list[str], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> EncodedSequence:
    """Encodes the word pieces of two texts; of one where the second has none."""
    pieces, segment_ids = pack(pieces_a, pieces_b, max_seq_length)
    ids = tokenizer.convert_tokens_to_ids(pieces)
    num_special = 3 if pieces_b else 2
    is_cut = len(pieces_a) + len(pieces_b) + num_special > len(pieces)
    return EncodedSequence(np.array(ids, np.int32), np.array(segment_ids, np.int32), is_cut)


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
    sequences = []
    begin = time.monotonic()
    with Progress(f"tokenizing {name}", total=num_pairs, unit=" sequences") as progress:
        for pieces_a, pieces_b in pairs:
            sequences.append(encode_pair(pieces_a, pieces_b, tokenizer, max_seq_length))
            progress.advance()
    num_tokens = sum(len(sequence.ids) for sequence in sequences)
    rate = num_tokens / max(time.monotonic() - begin, 1e-9)
    notify(
        f"{name}: {num_pairs} sequences of {num_tokens} tokens, {rate:.0f} tokens/s; "
        f"{sum(sequence.is_cut for sequence in sequences)} were cut to "
        f"--max_seq_length={max_seq_length}"
    )
    return sequences
