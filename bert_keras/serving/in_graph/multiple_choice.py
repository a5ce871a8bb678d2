"""`tasks.multiple_choice` in a graph: a context and its continuations -> the most probable one."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.sequences import InGraph, Sequences
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphMultipleChoice(tf.Module):
    """Strings -> ids, a row for each choice; logits -> choices as `MultipleChoice` has them.

    All inputs of a batch have the same number of choices, at least 1; an empty one counts.

    Args:
        task: the settings.
        config: not used; of all twins alike.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    signature = {
        "context": tf.TensorSpec([None], tf.string),
        "choices": tf.TensorSpec([None, None], tf.string),
    }

    def __init__(
        self,
        task: MultipleChoice,
        config: BertConfig,
        tokenizer: WordPieceTokenizer,
        in_graph: InGraph,
    ):
        super().__init__(name="in_graph_multiple_choice")
        self._in_graph = in_graph
        self._sequences = Sequences(tokenizer, in_graph, task.max_seq_length)

    def encode(self, context: tf.Tensor, choices: tf.Tensor) -> Rows:
        """A row for each choice: contexts [B], choices [B, C]; the places are `shape` = [B, C]."""
        shape = tf.shape(choices)
        check = tf.debugging.assert_equal(
            tf.shape(context), shape[:1], "There must be as many contexts as rows of choices."
        )
        with tf.control_dependencies([check]):
            texts = tf.concat([context, tf.reshape(choices, [-1])], axis=0)
        ids = self._in_graph(texts)
        owner = tf.repeat(tf.range(shape[0]), shape[1])  # [B * C]
        rows = self._sequences.pack(tf.gather(ids[: shape[0]], owner), ids[shape[0] :])
        return rows._replace(owner=owner, places={"shape": shape})

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """`choice`, int32 [B], from 0, and `probabilities` [B, C], of logits [B * C, 1]."""
        logits = tf.reshape(outputs["logits"], rows.places["shape"])
        probabilities = tf.nn.softmax(tf.cast(logits, tf.float64))
        return {
            "choice": tf.argmax(probabilities, axis=-1, output_type=tf.int32),
            "probabilities": tf.cast(probabilities, tf.float32),
        }
