"""`tasks.vectors.features` in a graph: texts, or pairs, -> a vector for each of their tokens."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.sequences import InGraph, Sequences
from bert_keras.serving.in_graph.strings import tokens_by_id
from bert_keras.tasks.vectors.features import Features
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphFeatures(tf.Module):
    """Strings -> ids; tokens and their vectors as `Features` has them.

    Args:
        task: the settings.
        config: not used; of all twins alike.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    signature = {"text": tf.TensorSpec([None], tf.string)}

    def __init__(
        self, task: Features, config: BertConfig, tokenizer: WordPieceTokenizer, in_graph: InGraph
    ):
        super().__init__(name="in_graph_features")
        self._sequences = Sequences(tokenizer, in_graph, task.max_seq_length)
        self._tokens = tokens_by_id(tokenizer)

    def encode(self, text: tf.Tensor, text_b: tf.Tensor | None = None) -> Rows:
        """A row for each text, or pair, of strings [B]; an empty second text is none."""
        return self._sequences.encode(text, text_b)

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """Tokens and vectors, filled up with "" and 0.

        Returns:
            `tokens` [B, T], `features` [B, T, H] of `sequence_output` [B, T, H], and `num_tokens`,
            int32 [B].
        """
        tokens = rows.ids.with_values(tf.gather(self._tokens, rows.ids.values)).to_tensor()
        lengths = rows.ids.row_lengths()
        is_token = tf.sequence_mask(lengths, tf.shape(tokens)[1])[..., tf.newaxis]  # [B, T, 1]
        hidden = outputs["sequence_output"]
        return {
            "tokens": tokens,
            "features": tf.where(is_token, hidden, 0.0),
            "num_tokens": tf.cast(lengths, tf.int32),
        }
