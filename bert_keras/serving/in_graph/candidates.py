"""Possible answers to questions, best first, each text once, in a graph."""

from typing import NamedTuple

import tensorflow as tf


class Candidates(NamedTuple):
    """K possible answers, `context[start:end]`: [K] each."""

    question: tf.Tensor  # int32
    text: tf.Tensor
    start: tf.Tensor  # int32
    end: tf.Tensor  # int32
    start_logit: tf.Tensor  # float64
    end_logit: tf.Tensor  # float64
    is_null: tf.Tensor  # whether it is "no answer"

    def scores(self) -> tf.Tensor:
        return self.start_logit + self.end_logit

    def gather(self, index: tf.Tensor) -> "Candidates":
        return Candidates(*(tf.gather(column, index) for column in self))


def best_first(candidates: Candidates) -> Candidates:
    """Sorted by question, then by score; of equals the first stays first."""
    order = tf.argsort(-candidates.scores(), stable=True)
    by_question = tf.argsort(tf.gather(candidates.question, order), stable=True)
    return candidates.gather(tf.gather(order, by_question))


def distinct(candidates: Candidates) -> Candidates:
    """The first of each text of each question."""
    keys = tf.strings.join([tf.strings.as_string(candidates.question), candidates.text], " ")
    texts, text_of = tf.unique(keys)
    places = tf.range(tf.size(keys))
    return candidates.gather(tf.math.unsorted_segment_min(places, text_of, tf.size(texts)))
