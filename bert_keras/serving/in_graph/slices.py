"""Parts of texts, by the places of their characters, in a graph."""

import tensorflow as tf


def code_points(texts: tf.Tensor) -> tf.RaggedTensor:
    """The characters of UTF-8 strings [B]: int32 [B, (C)]; bad bytes are dropped."""
    return tf.strings.unicode_decode(texts, "UTF-8", errors="ignore")


def text_slices(
    characters: tf.RaggedTensor, owner: tf.Tensor, starts: tf.Tensor, ends: tf.Tensor
) -> tf.Tensor:
    """`text[start:end]` of some of B texts: strings [N].

    Args:
        characters: code points of the texts, int32 [B, (C)].
        owner: of which text, int32 [N].
        starts, ends: counted in that text, int32 [N].
    """
    shift = tf.gather(tf.cast(characters.row_starts(), tf.int32), owner)
    places = tf.ragged.range(starts + shift, ends + shift)  # [N, (characters)]
    return tf.strings.unicode_encode(tf.gather(characters.values, places), "UTF-8")


def grouped(values: tf.Tensor, owner: tf.Tensor, num_rows: tf.Tensor) -> tf.RaggedTensor:
    """Values [N], those of a row one after the other -> [B, (values)].

    Args:
        values: strings or numbers.
        owner: the row of each, int32 [N]; it never falls.
        num_rows: B, int32.
    """
    return tf.RaggedTensor.from_value_rowids(values, owner, num_rows, validate=False)
