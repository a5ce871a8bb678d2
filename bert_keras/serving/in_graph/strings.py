"""Strings and their ids in a graph: clean, cut, join. The twin of `tokenizers.packing`."""

from typing import NamedTuple

import tensorflow as tf

from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Packed(NamedTuple):
    """R sequences: int32 [R, (T)] each."""

    ids: tf.RaggedTensor
    segment_ids: tf.RaggedTensor


def clean(text: tf.Tensor) -> tf.Tensor:
    """Strings of any shape without what is no UTF-8, as `tokenizers.basic.decode`."""
    return tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", errors="ignore")


def tokens_by_id(tokenizer: WordPieceTokenizer) -> tf.Tensor:
    """The token of each id of a vocabulary, strings [V]; "" of an id that has none."""
    tokens = [""] * tokenizer.vocab_size
    for token, index in tokenizer.vocab.items():
        tokens[index] = token
    return tf.constant(tokens)


def pack(
    ids_a: tf.RaggedTensor,
    ids_b: tf.RaggedTensor | None,
    max_seq_length: int,
    first: int,
    separator: int,
) -> Packed:
    """Cuts texts, or pairs of them, to what fits and joins them; see `tokenizers.packing.pack`.

    Args:
        ids_a: ids of the first texts, int32 [R, (A)].
        ids_b: those of the second ones, int32 [R, (B)]; None: there are none.
        max_seq_length: the most tokens of a sequence, at least 3.
        first, separator: the ids of [CLS] and [SEP].
    """
    if ids_b is None:
        room = tf.cast(max_seq_length - 2, tf.int64)
        ids_a = prefix(ids_a, tf.minimum(ids_a.row_lengths(), room))
        ids = _joined([_column(ids_a, first), ids_a, _column(ids_a, separator)])
        return Packed(ids, ids.with_values(tf.zeros_like(ids.values)))
    has_b = ids_b.row_lengths() > 0
    # A first text alone has one [SEP] less, and so more room.
    room = tf.where(has_b, max_seq_length - 3, max_seq_length - 2)
    ids_a, ids_b = truncate_pair(ids_a, ids_b, tf.cast(room, tf.int64))
    text_a = _joined([_column(ids_a, first), ids_a, _column(ids_a, separator)])
    # There may be no room for any token of b: then it has no [SEP] either.
    end = prefix(_column(ids_b, separator), tf.minimum(ids_b.row_lengths(), 1))
    text_b = _joined([ids_b, end])
    segments = [
        text.with_values(tf.fill(tf.shape(text.values), index))
        for index, text in enumerate((text_a, text_b))
    ]
    return Packed(_joined([text_a, text_b]), _joined(segments))


def truncate_pair(
    ids_a: tf.RaggedTensor, ids_b: tf.RaggedTensor, max_num_tokens: tf.Tensor
) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
    """Both texts without the last tokens of the longer one; see `tokenizers.packing`.

    `max_num_tokens` is that of each pair, int64 [R].
    """
    num_a, num_b = ids_a.row_lengths(), ids_b.row_lengths()
    cut_b = tf.minimum(num_b, tf.maximum(max_num_tokens // 2, max_num_tokens - num_a))
    fits = num_a + num_b <= max_num_tokens
    return (
        prefix(ids_a, tf.where(fits, num_a, max_num_tokens - cut_b)),
        prefix(ids_b, tf.where(fits, num_b, cut_b)),
    )


def prefix(rows: tf.RaggedTensor, lengths: tf.Tensor) -> tf.RaggedTensor:
    """The first values of each row [R, (N)]; `lengths`, int64 [R], are not more than there are."""
    starts = rows.row_starts()
    places = tf.ragged.range(starts, starts + lengths)
    return places.with_values(tf.gather(rows.values, places.values))


def _column(rows: tf.RaggedTensor, value: int) -> tf.RaggedTensor:
    """One and the same value for each of the rows, int32 [R, (1)]."""
    values = tf.fill([rows.nrows()], value)
    return tf.RaggedTensor.from_uniform_row_length(values, 1)


def _joined(parts: list[tf.RaggedTensor]) -> tf.RaggedTensor:
    """[R, (N)] each -> [R, (sum of the Ns)]."""
    return tf.concat(parts, axis=1)
