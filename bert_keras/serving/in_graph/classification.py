"""`tasks.classification` in a graph: texts, or pairs, -> labels and their probabilities."""

import tensorflow as tf

from bert_keras.config import MULTI_LABEL, REGRESSION, SINGLE_LABEL, BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.sequences import InGraph, Sequences
from bert_keras.tasks.classification.kinds import problem_type_of
from bert_keras.tasks.classification.task import Classification
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphClassification(tf.Module):
    """Strings -> ids; logits -> the answers of `Classification`.

    Args:
        task: the settings.
        config: names the labels, and says what they mean.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    def __init__(
        self,
        task: Classification,
        config: BertConfig,
        tokenizer: WordPieceTokenizer,
        in_graph: InGraph,
    ):
        super().__init__(name="in_graph_classification")
        self._sequences = Sequences(tokenizer, in_graph, task.max_seq_length)
        self._labels = tf.constant(config.labels)
        self._answers = _ANSWERS[problem_type_of(config)]
        self._names = ("text", "text_b") if task.is_pair else ("text",)

    @property
    def signature(self) -> dict[str, tf.TensorSpec]:
        """Two texts if the model has learned pairs: by one alone it would guess."""
        return dict.fromkeys(self._names, tf.TensorSpec([None], tf.string))

    def encode(self, text: tf.Tensor, text_b: tf.Tensor | None = None) -> Rows:
        """A row for each text, or pair, of strings [B]; an empty second text is none."""
        return self._sequences.encode(text, text_b)

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """The answers to B texts by logits [B, L].

        Returns:
            Of single labels `label` [B], `labels` and `probabilities` [B, L]; of sets of labels
            `is_label`, bool [B, L], `labels` and `probabilities`; of numbers `score` [B].
        """
        return self._answers(outputs["logits"], self._labels)


def _label(logits, labels):
    probabilities = tf.nn.softmax(tf.cast(logits, tf.float64))
    label = tf.gather(labels, tf.argmax(logits, axis=-1))
    return {"label": label} | _of_all(probabilities, labels)


def _is_label(logits, labels):
    return {"is_label": logits >= 0} | _of_all(tf.sigmoid(tf.cast(logits, tf.float64)), labels)


def _score(logits, labels):
    return {"score": logits[:, 0]}


def _of_all(probabilities, labels):
    """The probability of each label, beside its name: a server takes no outputs without [B]."""
    names = tf.broadcast_to(labels, tf.shape(probabilities))
    return {"labels": names, "probabilities": tf.cast(probabilities, tf.float32)}


_ANSWERS = {SINGLE_LABEL: _label, MULTI_LABEL: _is_label, REGRESSION: _score}
