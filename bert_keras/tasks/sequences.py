"""Texts, and pairs of texts, as sequences of a model: `[CLS] a [SEP]`, `[CLS] a [SEP] b [SEP]`.

`convert_examples_to_features` of run_classifier.py of google-research/bert.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.tasks.task import Encoded
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
        InputError: one text alone, not in a list; other numbers of second texts or values; values
            that are no numbers.
    """
    for name, of_name in {"texts": texts, "second_texts": second_texts, **(values or {})}.items():
        if isinstance(of_name, str):
            raise InputError(f"{name} must be a list of texts. Received: {of_name!r:.100}")
        if of_name is not None and len(of_name) != len(texts):
            raise InputError(
                f"There must be as many {name} as texts, {len(texts)}. Received: {len(of_name)}"
            )
    arrays = {name: np.asarray(of_name) for name, of_name in (values or {}).items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise InputError(
                f"{name} must be numbers: of a label its place among the labels of the model. "
                f"Received: {array[:3].tolist()!r:.100}"
            )
    inputs = zip(texts, second_texts, strict=True) if second_texts is not None else texts
    return encode_texts(inputs, tokenizer, max_seq_length).examples._replace(values=arrays)


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


def encode_texts(
    inputs: Iterable[str | tuple[str, str]], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> Encoded:
    """Encodes N inputs, each a text or a pair of texts, as N examples.

    Raises:
        InputError: one is something else.
    """
    sequences = []
    for index, one in enumerate(inputs):
        text_a, text_b = one if _is_pair(one) else (one, "")
        for text in (text_a, text_b):
            check_text(text, f"input {index}", "a text or a pair of texts")
        pieces_a, pieces_b = tokenizer.tokenize(text_a), tokenizer.tokenize(text_b)
        sequences.append(encode_pair(pieces_a, pieces_b, tokenizer, max_seq_length))
    return Encoded(examples_of(sequences), num_cut=sum(sequence.is_cut for sequence in sequences))


def check_text(text: Any, place: str, wanted: str) -> None:
    """Raises InputError, which names the place, if something is no text."""
    try:
        text.encode("utf-8")  # "\ud800" alone is no character
    except (AttributeError, UnicodeEncodeError) as error:
        raise InputError(f"{place} must be {wanted}. Received: {text!r:.100}") from error


def _is_pair(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2
