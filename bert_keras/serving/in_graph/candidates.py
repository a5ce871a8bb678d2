"""Possible answers to questions, best first, each text once, in a graph."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf


class Candidates(NamedTuple):
    """K possible answers, `context[start:end]`: [K] each."""

    question: tf.Tensor  # int32
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


def first_of_each_text(
    ranked: Candidates,
    text_of: Callable[[Candidates], tf.Tensor],
    count: int,
    num_questions: tf.Tensor,
) -> tuple[Candidates, tf.Tensor]:
    """At least the first `count` different texts of each question, and "no answer".

    Not all candidates get a text, as hundreds may have a long one: the first `count` of each
    question do, then, of questions with fewer different texts, as many more, twice as many, ...

    Args:
        ranked: by question, best first.
        text_of: function of candidates [K] -> their texts.
        count: how many different texts are wanted, "no answer" apart.
        num_questions: how many there are.

    Returns:
        Of each text the candidate that comes first, in their order, and the texts.
    """
    lengths = tf.math.unsorted_segment_sum(
        tf.ones_like(ranked.question), ranked.question, num_questions
    )
    rank = tf.ragged.range(lengths).values  # [K], in its question

    def is_sought(start, places):
        """Whether a candidate stands from `start` on, and its question has too few texts."""
        is_text = tf.cast(~tf.gather(ranked.is_null, places), tf.int32)
        num_texts = tf.math.unsorted_segment_sum(
            is_text, tf.gather(ranked.question, places), num_questions
        )
        return (rank >= start) & (tf.gather(num_texts, ranked.question) < count)

    def add(start, end, places, texts):
        new = _places(is_sought(start, places) & (rank < end))
        places = tf.concat([places, new], axis=0)
        texts = tf.concat([texts, text_of(ranked.gather(new))], axis=0)
        first = _first_of_each(tf.gather(ranked.question, places), texts)
        return end, 2 * end, tf.gather(places, first), tf.gather(texts, first)

    nulls = _places(ranked.is_null)
    any_number = tf.TensorShape([None])
    *_, places, texts = tf.while_loop(
        lambda start, end, places, texts: tf.reduce_any(is_sought(start, places)),
        add,
        (0, count, nulls, tf.fill(tf.shape(nulls), "")),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([]), any_number, any_number),
    )
    order = tf.argsort(places)
    return ranked.gather(tf.gather(places, order)), tf.gather(texts, order)


def _places(is_it: tf.Tensor) -> tf.Tensor:
    """Where it is, int32."""
    return tf.cast(tf.where(is_it)[:, 0], tf.int32)


def _first_of_each(question: tf.Tensor, texts: tf.Tensor) -> tf.Tensor:
    """The first place of each text of each question."""
    keys = tf.strings.join([tf.strings.as_string(question), texts], " ")
    different, text_of = tf.unique(keys)
    return tf.math.unsorted_segment_min(tf.range(tf.size(keys)), text_of, tf.size(different))
