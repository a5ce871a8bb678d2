"""`tasks.fill_mask` in a graph: texts with [MASK] -> the likeliest pieces for each."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.sequences import InGraph, Sequences
from bert_keras.serving.in_graph.strings import clean, tokens_by_id
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tokenizers.vocabulary import MASK
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphFillMask(tf.Module):
    """Strings -> ids and places of marks; logits -> pieces, as `FillMask` has them.

    Args:
        task: the settings.
        config: not used; of all twins alike.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    signature = {"text": tf.TensorSpec([None], tf.string)}

    def __init__(
        self, task: FillMask, config: BertConfig, tokenizer: WordPieceTokenizer, in_graph: InGraph
    ):
        super().__init__(name="in_graph_fill_mask")
        self._in_graph = in_graph
        self._sequences = Sequences(tokenizer, in_graph, task.max_seq_length)
        self._tokens = tokens_by_id(tokenizer)
        self._top_k = min(task.top_k, tokenizer.vocab_size)
        [self._mask] = tokenizer.convert_tokens_to_ids([MASK])

    def encode(self, text: tf.Tensor) -> Rows:
        """A row for each text of strings [B].

        The places are `masked_lm_positions`, int32 [B, M] with 0 for marks that a text has not, and
        `num_masks`, int32 [B].
        """
        rows = self._sequences.pack(self._ids(text), None)
        marks = tf.where(rows.ids.values == self._mask)[:, 0]
        positions = tf.gather(tf.ragged.range(rows.ids.row_lengths()).values, marks)
        positions = tf.RaggedTensor.from_value_rowids(
            tf.cast(positions, tf.int32),
            tf.gather(rows.ids.value_rowids(), marks),
            rows.ids.nrows(),
            validate=False,
        )
        table = positions.to_tensor()
        # The model takes at least one place.
        table = tf.pad(table, [[0, 0], [0, tf.cast(tf.shape(table)[1] == 0, tf.int32)]])
        num_masks = tf.cast(positions.row_lengths(), tf.int32)
        return rows._replace(places={"masked_lm_positions": table, "num_masks": num_masks})

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """The best k pieces of the vocabulary for each mark, by `masked_lm_logits` [B, M, V].

        Returns:
            `token` (strings), `token_id` (int32) and `score`, [B, M, k], filled up with "" and 0,
            and `num_masks`, int32 [B].
        """
        # The table of the model may have rows of no token.
        logits = outputs["masked_lm_logits"][..., : self._tokens.shape[0]]
        probabilities = tf.nn.softmax(tf.cast(logits, tf.float64))
        _, best = tf.math.top_k(logits, self._top_k)
        num_masks = rows.places["num_masks"]
        is_mark = tf.sequence_mask(num_masks, tf.shape(best)[1])[..., tf.newaxis]  # [B, M, 1]
        scores = tf.cast(tf.gather(probabilities, best, batch_dims=2), tf.float32)
        return {
            "token": tf.where(is_mark, tf.gather(self._tokens, best), ""),
            "token_id": tf.where(is_mark, best, 0),
            "score": tf.where(is_mark, scores, 0.0),
            "num_masks": num_masks,
        }

    def _ids(self, text: tf.Tensor) -> tf.RaggedTensor:
        """Strings [B] -> ids [B, (T)]; the mark is its own token, wherever it stands."""
        parts = tf.strings.split(clean(text), sep=MASK)  # [B, (number of marks + 1)]
        is_first = tf.ragged.range(parts.row_lengths()).values == 0
        num_marks = tf.cast(~is_first, tf.int32)  # 0 or 1 before each part
        mark = tf.RaggedTensor.from_row_lengths(
            tf.fill([tf.reduce_sum(num_marks)], self._mask), tf.cast(num_marks, tf.int64)
        )
        ids = tf.concat([mark, self._in_graph(parts.values)], axis=1)
        return parts.with_values(ids).merge_dims(1, 2)
