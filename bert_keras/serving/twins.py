"""The half of a task that is in the graph, by the task's name."""

from typing import Protocol

import tensorflow as tf

from bert_keras.serving.in_graph.classification import InGraphClassification
from bert_keras.serving.in_graph.embedding import InGraphEmbedding
from bert_keras.serving.in_graph.features import InGraphFeatures
from bert_keras.serving.in_graph.fill_mask import InGraphFillMask
from bert_keras.serving.in_graph.multiple_choice import InGraphMultipleChoice
from bert_keras.serving.in_graph.question_answering import InGraphQuestionAnswering
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.tagging import InGraphTagging
from bert_keras.serving.load import LoadedModel
from bert_keras.serving.model_tasks import WITH_OFFSETS
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tasks.tagging.task import Tagging
from bert_keras.tasks.vectors.embedding import Embedding
from bert_keras.tasks.vectors.features import Features
from bert_keras.tokenizers.in_graph import InGraphTokenizer
from bert_keras.tokenizers.in_graph_spans import CoreOpsTokenizer, SpanTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Twin(Protocol):
    """What every twin does, a `tf.Module`; see the class of its task.

    That of tagging takes words too: `signature_of_words` and `encode_words`.

    Attributes:
        signature: name -> strings that `encode` takes by this name.
    """

    signature: dict[str, tf.TensorSpec]

    def encode(self, **inputs: tf.Tensor) -> Rows:
        """The sequences of B inputs."""

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """The answers to the B inputs, each [B, ...], by what a model made of their sequences."""


TWINS: dict[str, type[Twin]] = {
    Classification.name: InGraphClassification,
    MultipleChoice.name: InGraphMultipleChoice,
    FillMask.name: InGraphFillMask,
    Embedding.name: InGraphEmbedding,
    Features.name: InGraphFeatures,
    Tagging.name: InGraphTagging,
    QuestionAnswering.name: InGraphQuestionAnswering,
}
# Tasks whose input is a text, or a pair of them: the second one is `text_b`.
PAIRED = (Classification.name, Embedding.name, Features.name)


def twin_of(loaded: LoadedModel, core_ops_only: bool = False) -> Twin:
    """The twin of a model's task, with the tokenizer of the model.

    Args:
        loaded: the model and its task.
        core_ops_only: nothing of TensorFlow Text, which some servers lack.

    Raises:
        InputError: TensorFlow Text refuses the vocabulary, or the task the graph.
    """
    name, tokenizer = loaded.task.name, loaded.tokenizer
    if name in WITH_OFFSETS:
        in_graph = SpanTokenizer(tokenizer)
    elif core_ops_only:
        in_graph = CoreOpsTokenizer(tokenizer)
    else:
        in_graph = _of_tensorflow_text(tokenizer)
    return TWINS[name](loaded.task, loaded.config, tokenizer, in_graph)


def _of_tensorflow_text(tokenizer: WordPieceTokenizer) -> InGraphTokenizer:
    return InGraphTokenizer(
        tokenizer.vocab,
        tokenizer.do_lower_case,
        tokenizer.strip_accents,
        tokenizer.special_tokens_in_text,
    )
