"""What `run_tagging` learns: a label for each word."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.files import read_text
from bert_keras.fine_tuning.assignment import Assignment, Evaluation, Prediction
from bert_keras.models.token_classifier import token_classifier
from bert_keras.objectives.token_classification import ACCURACIES, LOSSES, token_classification
from bert_keras.progress import tracked
from bert_keras.tasks.tagging.columns import (
    Columns,
    Sentence,
    column_text,
    columns_of,
    read_tagged,
    read_words,
)
from bert_keras.tasks.tagging.encoding import encode_sentences, with_targets
from bert_keras.tasks.tagging.labels import are_of_entities, label_ids, labels_of
from bert_keras.tasks.tagging.scores import scores
from bert_keras.tasks.tagging.task import Tagging, predicted_labels
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight

PREDICTIONS_NAME = "test_predictions.conll"


def read_assignment(settings: Any, config: BertConfig, tokenizer: WordPieceTokenizer) -> Assignment:
    """Reads the files of `run_tagging.Settings`.

    Raises:
        InputError: a file is missing or damaged, or has a tag that is none of the labels.
    """
    used_files = {
        "train_file": settings.do_train,
        "dev_file": settings.needs_evaluation,
        "test_file": settings.do_predict,
    }
    preflight.check_there(settings, [name for name, is_used in used_files.items() if is_used])
    train = _read(settings, settings.train_file) if settings.do_train else []
    labels = _labels(settings, config, train)
    setup = (settings, tokenizer, labels)
    return Assignment(
        task=Tagging(settings.max_seq_length),
        config=dataclasses.replace(config, labels=labels, problem_type=""),
        build=token_classifier,
        objective=token_classification,
        losses=LOSSES,
        accuracies=ACCURACIES,
        train=_training(train, *setup) if settings.do_train else None,
        evaluations={"dev": _evaluation(*setup)} if settings.needs_evaluation else {},
        predictions={"test": _prediction(*setup)} if settings.do_predict else {},
        metric="f1" if are_of_entities(labels) else "accuracy",
    )


def _training(
    sentences: Sequence[Sentence],
    settings: Any,
    tokenizer: WordPieceTokenizer,
    labels: Sequence[str],
) -> EncodedExamples:
    encoded = _encoded(sentences, tokenizer, settings.max_seq_length)
    return with_targets(encoded, label_ids(sentences, labels, settings.train_file))


def _evaluation(settings: Any, tokenizer: WordPieceTokenizer, labels: Sequence[str]) -> Evaluation:
    sentences = _read(settings, settings.dev_file)
    gold = [sentence.tags for sentence in sentences]
    label_ids(sentences, labels, settings.dev_file)  # a tag that cannot be predicted is an error
    encoded = _encoded(sentences, tokenizer, settings.max_seq_length)

    def score(outputs):
        predicted = predicted_labels(encoded, outputs["logits"], labels)
        return scores(gold, predicted, labels)

    return Evaluation(encoded.examples, score)


def _prediction(settings: Any, tokenizer: WordPieceTokenizer, labels: Sequence[str]) -> Prediction:
    path = settings.test_file
    sentences = read_words(path, _columns(settings, path))
    encoded = _encoded(sentences, tokenizer, settings.max_seq_length)

    def files(outputs):
        predicted = predicted_labels(encoded, outputs["logits"], labels)
        return {PREDICTIONS_NAME: column_text(sentences, predicted)}

    return Prediction(encoded.examples, files)


def _encoded(
    sentences: Sequence[Sentence], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> Encoded:
    words = [sentence.words for sentence in sentences]
    shown = tracked(words, "encoding sentences", " sentences")
    return encode_sentences(shown, tokenizer, max_seq_length)


def _read(settings: Any, path: str) -> list[Sentence]:
    return read_tagged(path, _columns(settings, path))


def _columns(settings: Any, path: str) -> Columns:
    return columns_of(path, settings.token_column, settings.tag_column)


def _labels(settings: Any, config: BertConfig, train: Sequence[Sentence]) -> tuple[str, ...]:
    """Those of --labels_file or the training set, or of a tagger that has them all.

    Raises:
        InputError: nothing names them.
    """
    if not settings.do_train:
        if config.labels:
            return config.labels
        raise InputError(
            "Without --do_train the model must be a tagger, with labels. Received: one without, "
            f"from {settings.init_checkpoint or settings.output_dir}"
        )
    if settings.labels_file:
        lines = read_text(settings.labels_file).split("\n")
        labels = tuple(line.strip() for line in lines if line.strip())
    else:
        labels = labels_of(train)
    return config.labels if set(labels) <= set(config.labels) else labels
