"""Extracts features: reads, computes and writes pool by pool, so that memory stays bounded."""

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples
from bert_keras.data.length_batches import FILLED_ROW, ordered_batches
from bert_keras.errors import InputError
from bert_keras.feature_extraction.layers import layer_numbers, layer_outputs
from bert_keras.feature_extraction.lines import Line, count_lines, pools, read_lines
from bert_keras.feature_extraction.writers import LineFeatures, writer_for
from bert_keras.files import whole_file
from bert_keras.fine_tuning import start
from bert_keras.layers.initializers import zeros_to_be_loaded
from bert_keras.models.bert import unpooled_bert
from bert_keras.progress import Progress
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

Compute = Callable[[dict[str, tf.Tensor]], tf.Tensor]  # features [B, T] -> [B, T, L, H]
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
    pretrained = start.read_named(settings)
    start.check_fit(pretrained, settings.max_seq_length)
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
        compute = _compiled(layer_outputs(_encoder(pretrained), numbers))
        for pool in pools(lines, BYTES_OF_POOL // bytes_of_token):
            write(features_of(compute, pool, pretrained.tokenizer, settings.batch_size))
            progress.advance(len(pool))


def features_of(
    compute: Compute, pool: Sequence[Line], tokenizer: WordPieceTokenizer, batch_size: int
) -> list[LineFeatures]:
    """The features of some lines, in their order; they are computed in batches by length."""
    values: list[np.ndarray | None] = [None] * len(pool)
    for index, of_line in _computed(compute, _encoded(pool, tokenizer), batch_size):
        values[index] = of_line[: len(pool[index].tokens)]
    return [
        LineFeatures(line.index, line.tokens, of_line)
        for line, of_line in zip(pool, values, strict=True)
    ]


def _encoder(pretrained: start.Start) -> keras.Model:
    with zeros_to_be_loaded():
        encoder = unpooled_bert(pretrained.config)
    start.initialize(encoder, pretrained, pretrained.config)
    return encoder


def _compiled(model: keras.Model) -> Compute:
    """One graph for all shapes of a batch."""
    signature = {name: tf.TensorSpec([None, None], tf.int32) for name in model.input}
    return tf.function(functools.partial(model, training=False), input_signature=[signature])


def _encoded(pool: Sequence[Line], tokenizer: WordPieceTokenizer) -> EncodedExamples:
    ids = [np.array(tokenizer.convert_tokens_to_ids(line.tokens), np.int32) for line in pool]
    tokens = {
        "input_ids": ids,
        "input_mask": [np.ones_like(of_line) for of_line in ids],
        "segment_ids": [np.array(line.segment_ids, np.int32) for line in pool],
    }
    return EncodedExamples(tokens, {})


def _computed(
    compute: Compute, examples: EncodedExamples, batch_size: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Yields the place of each example and its features, [T, L, H], as the batches come."""
    for batch in ordered_batches(examples, min(batch_size, len(examples.lengths))):
        values = compute({name: batch[name] for name in examples.tokens}).numpy()
        for index, of_line in zip(batch["example_index"].numpy(), values, strict=True):
            if index != FILLED_ROW:
                yield index, of_line
