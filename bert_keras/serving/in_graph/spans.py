"""The spans that a model's logits favor, in a graph: the twin of `tasks.squad.spans`."""

from typing import NamedTuple

import tensorflow as tf

from bert_keras.serving.in_graph.rows import Rows, Tensors


class Spans(NamedTuple):
    """Pieces `first` to `last` of the context of a question, and their logits: [S] each.

    Those of a question one after the other, in the order in which the first of equals is best.
    """

    question: tf.Tensor  # int32
    first: tf.Tensor
    last: tf.Tensor
    start_logit: tf.Tensor  # float64, so that sums are those of Python
    end_logit: tf.Tensor


def best_spans(rows: Rows, outputs: Tensors, n_best_size: int, max_answer_length: int) -> Spans:
    """The possible answers of all questions; see `ranked_spans`. They are not yet ranked.

    Args:
        rows: windows of contexts, `places` those of `InGraphQuestionAnswering.encode`.
        outputs: `start_logits` and `end_logits` [R, at least T].
        n_best_size: how many starts and ends of a window are looked at.
        max_answer_length: most pieces of an answer.
    """
    places = rows.places
    starts, start_logits = _best_places(rows, outputs["start_logits"], n_best_size)
    ends, end_logits = _best_places(rows, outputs["end_logits"], n_best_size)  # [R, K]
    row_starts = tf.cast(places["has_max_context"].row_starts(), tf.int32)[:, tf.newaxis]
    in_context = _is_in_context(places, starts)
    has_max_context = tf.gather(
        places["has_max_context"].values, tf.where(in_context, row_starts + starts, 0)
    )
    distances = ends[:, tf.newaxis] - starts[:, :, tf.newaxis]  # [R, K, K]
    is_possible = (
        (in_context & has_max_context)[:, :, tf.newaxis]
        & _is_in_context(places, ends)[:, tf.newaxis]
        & (distances >= 0)
        & (distances < max_answer_length)
    )
    row, start, end = tf.unstack(tf.where(is_possible), axis=1)  # [S]
    at_start, at_end = tf.stack([row, start], axis=1), tf.stack([row, end], axis=1)
    shift = tf.gather(places["start"], row)
    return Spans(
        question=tf.gather(rows.owner, row),
        first=shift + tf.gather_nd(starts, at_start),
        last=shift + tf.gather_nd(ends, at_end),
        start_logit=tf.gather_nd(start_logits, at_start),
        end_logit=tf.gather_nd(end_logits, at_end),
    )


def null_scores(rows: Rows, outputs: Tensors, num_questions: tf.Tensor) -> tf.Tensor:
    """Of "no answer": the least score of [CLS] as start and end, float64 [B]; 0 without window."""
    logits = (outputs[name][:, :1] for name in ("start_logits", "end_logits"))
    scores = tf.reduce_sum(tf.add(*(tf.cast(logit, tf.float64) for logit in logits)), axis=1)
    least = tf.math.unsorted_segment_min(scores, rows.owner, num_questions)
    num_windows = tf.math.unsorted_segment_sum(tf.ones_like(rows.owner), rows.owner, num_questions)
    return tf.where(num_windows > 0, least, 0.0)


def _best_places(rows: Rows, logits: tf.Tensor, count: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Places of the largest logits in their windows, best first, and these in float64: [R, K].

    Of equals the first is best. Positions before a window and behind its row are places too.
    """
    num_positions = tf.shape(logits)[1]
    is_token = tf.sequence_mask(rows.ids.row_lengths(), num_positions)
    logits = tf.where(is_token, logits, -float("inf"))
    best = tf.math.top_k(logits, tf.minimum(count, num_positions))
    return best.indices - rows.places["offset"][:, tf.newaxis], tf.cast(best.values, tf.float64)


def _is_in_context(places: Tensors, place: tf.Tensor) -> tf.Tensor:
    return (place >= 0) & (place < places["length"][:, tf.newaxis])
