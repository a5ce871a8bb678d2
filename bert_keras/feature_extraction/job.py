"""Extracts features: reads, computes and writes pool by pool, so that memory stays bounded."""

import os
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.start import check_fit, initialize, read_start
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.feature_extraction.layers import layer_numbers, layer_outputs
from bert_keras.feature_extraction.lines import Line, count_lines, pools, read_lines
from bert_keras.feature_extraction.writers import LineFeatures, writer_for
from bert_keras.files import check_replaceable, whole_file
from bert_keras.layers.initializers import zeros_to_be_loaded
from bert_keras.models.bert import unpooled_bert
from bert_keras.progress import Progress, unseen
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training.inference import Inference
from bert_keras.training.stop import StopRequest

BYTES_OF_POOL = 2**28  # of the features that are held at a time


def run(settings: Any) -> None:
    """Does what the settings of the program `extract_features` say.

    Raises:
        InputError: a file is missing, damaged or cannot be written, or flags contradict each other.
    """
    if os.path.realpath(settings.input_file) == os.path.realpath(settings.output_file):
        raise InputError(
            "--output_file must be another file than --input_file. "
            f"Received: {settings.output_file} for both"
        )
    check_replaceable(settings.output_file)
    pretrained = read_start(settings)
    check_fit(pretrained, settings.max_seq_length)
    numbers = layer_numbers(settings.layers, pretrained.config.num_hidden_layers)
    num_lines = count_lines(settings.input_file)
    bytes_of_token = 4 * len(numbers) * pretrained.config.hidden_size
    lines = read_lines(settings.input_file, pretrained.tokenizer, settings.max_seq_length)
    writer = writer_for(settings.output_file)
    with (
        whole_file(settings.output_file) as stream,
        writer(stream, numbers, pretrained.config.hidden_size) as write,
        Progress("extracting", total=num_lines, unit=" lines") as progress,
    ):
        model = layer_outputs(_encoder(pretrained), numbers)
        inference = Inference(tf.distribute.get_strategy(), model, StopRequest())
        for pool in pools(lines, BYTES_OF_POOL // bytes_of_token):
            write(features_of(inference, pool, pretrained.tokenizer, settings.batch_size))
            progress.advance(len(pool))
    print(f"Done; {settings.output_file} holds the features of {num_lines} lines.")


def features_of(
    inference: Inference, pool: Sequence[Line], tokenizer: WordPieceTokenizer, batch_size: int
) -> list[LineFeatures]:
    """The features of some lines, in their order; they are computed in batches by length."""
    batch_size = min(batch_size, len(pool))
    outputs = inference.run(_encoded(pool, tokenizer), batch_size, advance=unseen)
    return [
        LineFeatures(line.index, line.tokens, values[: len(line.tokens)])
        for line, values in zip(pool, outputs["features"], strict=True)
    ]


def _encoder(pretrained: StoredModel) -> keras.Model:
    with zeros_to_be_loaded():
        encoder = unpooled_bert(pretrained.config)
    initialize(encoder, pretrained, pretrained.config, is_trained=False)
    return encoder


def _encoded(pool: Sequence[Line], tokenizer: WordPieceTokenizer) -> EncodedExamples:
    ids = [np.array(tokenizer.convert_tokens_to_ids(line.tokens), np.int32) for line in pool]
    segment_ids = [np.array(line.segment_ids, np.int32) for line in pool]
    return EncodedExamples.of_sequences(ids, segment_ids)
