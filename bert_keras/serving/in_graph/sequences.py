"""`tasks.sequences` in a graph: texts and pairs -> `[CLS] a [SEP]`, `[CLS] a [SEP] b [SEP]`."""

from collections.abc import Callable

import tensorflow as tf

from bert_keras.serving.in_graph.rows import Rows
from bert_keras.serving.in_graph.strings import pack
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

InGraph = Callable[[tf.Tensor], tf.RaggedTensor]  # strings [B] -> ids, int32 [B, (T)]


class Sequences(tf.Module):
    """Strings -> ids, a row for each input.

    Args:
        tokenizer: that of the model.
        in_graph: the same in a graph.
        max_seq_length: the most tokens of a row, [CLS] and [SEP] included.

    Raises:
        InputError: the vocabulary has no [CLS] or [SEP].
    """

    def __init__(self, tokenizer: WordPieceTokenizer, in_graph: InGraph, max_seq_length: int):
        super().__init__(name="sequences")
        self._in_graph = in_graph
        self._max_seq_length = max_seq_length
        self._ends = tuple(tokenizer.convert_tokens_to_ids([CLASSIFICATION, SEPARATOR]))

    def encode(self, text: tf.Tensor, text_b: tf.Tensor | None = None) -> Rows:
        """A row for each text, or pair, of strings [B]; an empty second text is none."""
        ids_b = None
        if text_b is not None:
            rule = "There must be as many second texts as first ones."
            tf.debugging.assert_equal(tf.size(text), tf.size(text_b), rule)
            # Together: what the texts of a pair have in common is worked on once.
            both = self._in_graph(tf.concat([text, text_b], axis=0))
            ids_a, ids_b = both[: tf.size(text)], both[tf.size(text) :]
        else:
            ids_a = self._in_graph(text)
        return self.pack(ids_a, ids_b)

    def pack(self, ids_a: tf.RaggedTensor, ids_b: tf.RaggedTensor | None) -> Rows:
        """A row for each text, or pair, of ids int32 [B, (T)]."""
        ids, segment_ids = pack(ids_a, ids_b, self._max_seq_length, *self._ends)
        return Rows(ids, segment_ids, tf.range(ids.nrows(tf.int32)), {})
