"""Which function of `bert_keras.models` a set of weights was made for, by its name in files."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import keras

from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.names import LABEL_WEIGHTS, POOLER
from bert_keras.checkpoints.stored_model import Pooling, StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.layers.embeddings import Embeddings
from bert_keras.layers.sentence_pooling import SentencePooling
from bert_keras.models.bert import bert, unpooled_bert
from bert_keras.models.classifier import classifier
from bert_keras.models.masked_lm import masked_lm
from bert_keras.models.multiple_choice import multiple_choice
from bert_keras.models.next_sentence import next_sentence
from bert_keras.models.pretrainer import pretrainer
from bert_keras.models.question_answering import question_answering
from bert_keras.models.sentence_encoder import sentence_encoder
from bert_keras.models.token_classifier import token_classifier
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

BUILDERS: dict[str, Callable[[BertConfig], keras.Model]] = {
    build.__name__: build
    for build in (
        bert,
        unpooled_bert,
        pretrainer,
        masked_lm,
        next_sentence,
        classifier,
        token_classifier,
        multiple_choice,
        question_answering,
    )
}
# Heads that the names of the weights show -> the model; where several are there the first counts.
# The original gives one name to all heads of labels: what else than a classifier has to be said.
_SHOWN_HEADS = (
    ((LABEL_WEIGHTS,), "classifier"),
    (("cls/squad/output_weights",), "question_answering"),
    (("cls/predictions/output_bias", "cls/seq_relationship/output_weights"), "pretrainer"),
    (("cls/predictions/output_bias",), "masked_lm"),
    (("cls/seq_relationship/output_weights",), "next_sentence"),
)


def builder_of(stored: StoredModel) -> Callable[[BertConfig], keras.Model]:
    """What builds a stored model; an encoder also pools sentences if the files say how."""
    build = BUILDERS[stored.model]
    if not stored.pooling:
        return build
    modes, normalize = stored.pooling.modes, stored.pooling.normalize
    return lambda config: sentence_encoder(build(config), modes, normalize)


def config_of(model: keras.Model) -> BertConfig | None:
    """The config that one of our models was built from; None for another model."""
    return next((layer.config for layer in model.layers if isinstance(layer, Embeddings)), None)


def stored_model_of(
    model: keras.Model,
    tokenizer: WordPieceTokenizer | None,
    made_by: str = "",
    task: Mapping[str, Any] | None = None,
) -> StoredModel:
    """A Keras model as the formats write it.

    Args:
        model: one that a function of `bert_keras.models` made.
        tokenizer: that of its vocabulary.
        made_by: a sentence for its card.
        task: what is to be known of its texts and answers.

    Raises:
        InputError: it was not made by one of them.
    """
    config = config_of(model)
    if config is None:
        raise InputError(
            "Saved are models that a function of bert_keras.models made. Received: "
            f"{model.name} without a layer of embeddings. Save the BERT inside it."
        )
    variables = named_variables(model)
    shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
    pooling = next((layer for layer in model.layers if isinstance(layer, SentencePooling)), None)
    name = model.name.removeprefix("packed_")
    return StoredModel(
        config=config,
        tokenizer=tokenizer,
        weights=Weights(model.name, shapes, lambda name: variables[name].value),
        model=name if name in BUILDERS else shown_model(shapes),
        pooling=pooling and Pooling(pooling.modes, pooling.normalize),
        made_by=made_by,
        task=task or {},
    )


def shown_model(names: Collection[str]) -> str:
    """The model that the names of a file's weights show."""
    for heads, model in _SHOWN_HEADS:
        if all(head in names for head in heads):
            return model
    return encoder_model(names)


def encoder_model(names: Collection[str]) -> str:
    """The encoder alone, with a pooler if the file has one."""
    has_pooler = any(name.startswith(POOLER) for name in names)
    return bert.__name__ if has_pooler else unpooled_bert.__name__
