"""Rows to be masked, and how numpy and the graph mask them: what the tests of both share."""

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from bert_keras.data import masking as in_graph
from bert_keras.data.masking_settings import Masking, MaskingSettings
from tfrecord_tools.bucketed import masking as in_numpy

VOCAB_SIZE = 1000
MASK = 5000  # none of the vocabulary, so that it never is a random token too
SPECIAL = 2
MODES = ("token", "whole_word", "ngram", "span")


def masking(mode, **settings):
    return Masking(MaskingSettings(masking=mode, **settings), MASK, VOCAB_SIZE, (SPECIAL, 3))


def rows_of(*layouts, num_rows=1):
    """Rows from letters: w begins a word, c goes on, | is [CLS] or [SEP], . is padding.

    A token says where it stands, and is none of the vocabulary.
    """
    letters = np.repeat(np.array([list(layout) for layout in layouts]), num_rows, axis=0)
    tokens = VOCAB_SIZE + np.arange(letters.shape[1]) + np.zeros_like(letters, int)
    tokens[letters == "|"] = SPECIAL
    tokens[letters == "."] = 0
    return in_numpy.UnmaskedRows(
        tokens.astype(np.int32),
        np.sum(letters != ".", axis=1),
        letters == "w",
        (letters == "w") | (letters == "c"),
    )


def features_of(rows):
    """The same rows as `unmasked_features`."""
    num_rows, length = rows.tokens.shape
    return {
        "input_ids": tf.constant(rows.tokens),
        "input_mask": tf.sequence_mask(rows.num_tokens, length, tf.int32),
        "segment_ids": tf.zeros([num_rows, length], tf.int32),
        "starts_word": tf.constant(rows.starts_word, tf.int32),
        "next_sentence_labels": tf.zeros([num_rows, 1], tf.int32),
    }


def mask_in_numpy(rows, row_masking, seed=0):
    rng = np.random.default_rng(seed)
    return _in_blocks(rows, lambda block, number: in_numpy.mask_rows(block, row_masking, rng))


def mask_in_graph(rows, row_masking, seed=0):
    mask_block = tf.function(
        lambda features, number: in_graph.mask_block(features, row_masking, seed, number),
        reduce_retracing=True,
    )

    def mask(block, number):
        return masked_rows(mask_block(features_of(block), tf.constant(number, tf.int64)))

    return _in_blocks(rows, mask)


def _in_blocks(rows, mask):
    """Masks block after block, as the pipeline and the builder do."""
    size = in_graph.NUM_ROWS_OF_BLOCK
    blocks = []
    for number, begin in enumerate(range(0, len(rows.tokens), size)):
        block = in_numpy.UnmaskedRows(*(values[begin : begin + size] for values in rows))
        blocks.append(mask(block, number))
    return in_numpy.MaskedRows(*(np.concatenate(values) for values in zip(*blocks, strict=True)))


def masked_rows(features):
    """The features that the graph returns, as what numpy returns."""
    num_predictions = np.sum(features["masked_lm_weights"], axis=1).astype(np.int32)
    names = ("input_ids", "masked_lm_positions", "masked_lm_ids")
    return in_numpy.MaskedRows(*(features[name].numpy() for name in names), num_predictions)


def first_runs(implementation, mode, layout, limit, num_rows):
    """bool [num_rows, T]: the pieces of the run that is chosen first in each row."""
    choosers = {"numpy": _runs_in_numpy, "graph": _runs_in_graph}
    size = in_graph.NUM_ROWS_OF_BLOCK
    rows = rows_of(layout, num_rows=size)
    limits = np.full(size, limit, np.int32)
    choose = choosers[implementation](mode, rows, limits)
    return np.concatenate([choose(number) == 0 for number in range(num_rows // size)])


def _runs_in_numpy(mode, rows, limits):
    rng = np.random.default_rng(0)
    choose = in_numpy.CHOOSERS[mode]
    shape = rows.tokens.shape
    return lambda number: choose(
        rows.is_candidate, rows.starts_word, limits, in_numpy.draw(*shape, masking(mode), rng)
    )


def _runs_in_graph(mode, rows, limits):
    length = rows.tokens.shape[1]
    masks = (tf.constant(rows.is_candidate), tf.constant(rows.starts_word))

    @tf.function
    def choose(number):
        draws = in_graph.draw(length, masking(mode), 0, number)
        return in_graph.CHOOSERS[mode](*masks, tf.constant(limits), draws)

    return lambda number: choose(tf.constant(number, tf.int64)).numpy()


MASKERS = {"numpy": mask_in_numpy, "graph": mask_in_graph}


class Predictions(NamedTuple):
    """What was predicted in many rows of one layout, and what stood and stands there."""

    row: in_numpy.UnmaskedRows  # the layout, [1, T]
    num_predictions: np.ndarray  # [N]
    positions: np.ndarray  # [N, P]
    labels: np.ndarray  # [N, P]
    shown: np.ndarray  # [N, P]


@functools.cache
def million(implementation, mode, decision="piece"):
    """60,000 rows of one- and two-piece words with room for 19 predictions each, 1.14 million."""
    layout = "|" + "wwcw" * 16 + "|" + "wcww" * 15 + "w|"  # 128 positions
    row = rows_of(layout)
    rows = in_numpy.UnmaskedRows(*(np.repeat(values, 60_000, axis=0) for values in row))
    settings = masking(mode, whole_word_decision=decision)
    masked = MASKERS[implementation](rows, settings)
    shown = np.take_along_axis(masked.tokens, masked.positions, axis=1)
    arrays = (masked.positions, masked.labels, shown)
    return Predictions(row, masked.num_predictions, *(array[:, :19] for array in arrays))


@st.composite
def cases(draw_from):
    """Rows of any layout, with settings for all modes and draws."""
    length = draw_from(st.integers(1, 40))
    num_rows = draw_from(st.integers(1, 4))
    shares = draw_from(st.sampled_from([(0.8, 0.1, 0.1), (0.0, 0.5, 0.5), (1.0, 0.0, 0.0)]))
    settings = masking(
        draw_from(st.sampled_from(MODES)),
        masked_lm_prob=draw_from(st.sampled_from([0.0, 0.15, 0.5, 1.0])),
        max_predictions_per_seq=draw_from(st.sampled_from([1, 5, 20, 60])),
        whole_word_decision=draw_from(st.sampled_from(["piece", "word"])),
        **dict(zip(("mask_share", "keep_share", "random_share"), shares, strict=True)),
    )
    layout = st.text(st.sampled_from("wwwcc|"), min_size=length, max_size=length)
    num_tokens = draw_from(st.integers(0, length))
    layouts = [draw_from(layout)[:num_tokens].ljust(length, ".") for _ in range(num_rows)]
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32)))
    return rows_of(*layouts), settings, in_numpy.draw(num_rows, length, settings, rng)
