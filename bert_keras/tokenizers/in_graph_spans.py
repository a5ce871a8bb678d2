"""WordPiece tokenization with character offsets in a TensorFlow graph, of core operations alone.

The twin of `WordPieceTokenizer.tokenize_with_offsets`, for SavedModels that answer with places in
the text, and for servers without TensorFlow Text.
"""

from typing import NamedTuple

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.tokenizers.greedy_matcher import GreedyMatcher
from bert_keras.tokenizers.in_graph_basic import InGraphBasicTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class TokenSpans(NamedTuple):
    """Pieces of texts: int32 [B, (T)] each, or [T] of one text.

    Starts and ends count code points of the text, bytes that are not UTF-8 left out.
    """

    ids: tf.RaggedTensor | tf.Tensor
    starts: tf.RaggedTensor | tf.Tensor
    ends: tf.RaggedTensor | tf.Tensor


class SpanTokenizer(tf.Module):
    """String tensor -> `TokenSpans`, equal to those of the plain tokenizer.

    Works eagerly, in `tf.function` and `tf.data`, and in a SavedModel that tracks it; who loads
    one needs TensorFlow alone.

    Large batches are fastest: a chunk of text between spaces that comes twice is worked on once.

    Args:
        tokenizer: whose vocabulary and settings it takes.

    Raises:
        InputError: the tokenizer takes special tokens in text.
    """

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__(name="span_tokenizer")
        if tokenizer.special_tokens_in_text:
            raise InputError(
                "Special tokens in text have no graph with offsets; make the tokenizer without "
                "them. Received: special_tokens_in_text=True."
            )
        self.vocab_size = tokenizer.vocab_size
        self._basic = InGraphBasicTokenizer(tokenizer.do_lower_case, tokenizer.strip_accents)
        self._matcher = GreedyMatcher(tokenizer.vocab)

    def __call__(self, text: tf.Tensor) -> TokenSpans:
        """Pieces of each text, without [CLS] and [SEP].

        Args:
            text: UTF-8 strings [B], or one string []; bad bytes are dropped.

        Raises:
            InputError: `text` is not a string tensor of rank 0 or 1.
        """
        text = tf.convert_to_tensor(text)
        if text.dtype != tf.string or text.shape.rank not in (0, 1):
            raise InputError(
                f"The tokenizer takes strings of shape [] or [batch]; reshape others first. "
                f"Received: dtype {text.dtype.name}, shape {text.shape}."
            )
        if text.shape.rank == 0:
            return TokenSpans(*(field.values for field in self(text[tf.newaxis])))
        chunks = tf.strings.split(text, sep=" ")  # [B, (C)]
        distinct, index = tf.unique(chunks.values)  # [D], [number of chunks]
        codes = tf.strings.unicode_decode(distinct, "UTF-8", errors="ignore")
        tokens = tf.gather(self._tokenize(codes), index)  # [number of chunks, (T), 3]
        places = tf.repeat(
            _places(chunks, tf.gather(codes.row_lengths(), index)), tokens.row_lengths()
        )
        ids, starts, ends = tf.unstack(tokens.values, axis=1)
        of_texts = chunks.with_values(tokens).merge_dims(1, 2)  # [B, (T), 3]
        return TokenSpans(
            *(of_texts.with_values(field) for field in (ids, starts + places, ends + places))
        )

    def word_spans(self, text: tf.Tensor) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
        """Where the words of texts [B] start and end: int32 [B, (W)] each.

        The twin of `BasicTokenizer.word_spans`.
        """
        codes = tf.strings.unicode_decode(text, "UTF-8", errors="ignore")
        characters, starts_word = self._basic(codes)
        word_of = tf.cumsum(tf.cast(starts_word, tf.int32)) - 1
        spans = (
            tf.math.segment_min(characters.starts, word_of),
            tf.math.segment_max(characters.ends, word_of),
        )
        rows = tf.cast(tf.boolean_mask(characters.rows, starts_word), tf.int64)
        return tuple(
            tf.RaggedTensor.from_value_rowids(places, rows, codes.nrows(), validate=False)
            for places in spans
        )

    def _tokenize(self, codes: tf.RaggedTensor) -> tf.RaggedTensor:
        """Code points of chunks [D, (C)] -> id, start and end of each piece [D, (T), 3]."""
        characters, starts_word = self._basic(codes)  # [N]
        word_starts = tf.where(starts_word)[:, 0]  # [W]
        words = tf.RaggedTensor.from_row_starts(characters.values, word_starts, validate=False)
        pieces = self._matcher(words)  # [W, (P)]
        lengths = pieces.lengths.values  # [P]
        piece_of = tf.repeat(tf.range(tf.size(lengths)), lengths)  # [N]
        starts = tf.math.segment_min(characters.starts, piece_of)
        ends = tf.math.segment_max(characters.ends, piece_of)
        tokens = tf.stack([pieces.ids.values, starts, ends], axis=1)
        num_tokens = tf.math.unsorted_segment_sum(
            pieces.ids.row_lengths(), tf.gather(characters.rows, word_starts), codes.nrows()
        )
        return tf.RaggedTensor.from_row_lengths(tokens, num_tokens, validate=False)


def _places(chunks: tf.RaggedTensor, lengths: tf.Tensor) -> tf.Tensor:
    """Where each chunk starts in its text [number of chunks], by the numbers of characters."""
    places = tf.cumsum(tf.cast(lengths, tf.int32) + 1, exclusive=True)  # a space after each
    return places - tf.gather(places, tf.gather(chunks.row_starts(), chunks.value_rowids()))


class CoreOpsTokenizer(tf.Module):
    """String tensor -> ids alone, those of `InGraphTokenizer`, where there is TensorFlow alone."""

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__(name="core_ops_tokenizer")
        self._spans = SpanTokenizer(tokenizer)

    def __call__(self, text: tf.Tensor) -> tf.RaggedTensor:
        """Ids of each text of strings [B], int32 [B, (T)], without [CLS] and [SEP]."""
        return self._spans(text).ids
