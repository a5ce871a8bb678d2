"""`tasks.vectors.embedding` in a graph: texts, or pairs, -> a vector for each."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.sequences import InGraph, Sequences
from bert_keras.tasks.vectors.embedding import Embedding
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphEmbedding(tf.Module):
    """Strings -> ids; vectors as `Embedding` has them.

    Args:
        task: the settings.
        config: not used; of all twins alike.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    signature = {"text": tf.TensorSpec([None], tf.string)}

    def __init__(
        self, task: Embedding, config: BertConfig, tokenizer: WordPieceTokenizer, in_graph: InGraph
    ):
        super().__init__(name="in_graph_embedding")
        self._sequences = Sequences(tokenizer, in_graph, task.max_seq_length)

    def encode(self, text: tf.Tensor, text_b: tf.Tensor | None = None) -> Rows:
        """A row for each text, or pair, of strings [B]; an empty second text is none."""
        return self._sequences.encode(text, text_b)

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """`embedding` [B, H]."""
        return {"embedding": outputs["sentence_embedding"]}
