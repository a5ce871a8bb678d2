"""The order of possible answers."""

import tensorflow as tf

from bert_keras.serving.in_graph.candidates import Candidates, best_first, distinct


def candidates(rows) -> Candidates:
    """Of rows of question, text, and start logit."""
    question, text, logit = zip(*rows, strict=True)
    places = tf.range(len(rows))
    logits = tf.constant(logit, tf.float64)
    is_null = tf.zeros([len(rows)], tf.bool)
    return Candidates(
        tf.constant(question), tf.constant(text), places, places, logits, 0 * logits, is_null
    )


def read(found: Candidates):
    texts = [text.decode() for text in found.text.numpy()]
    return [*zip(found.question.numpy().tolist(), texts, found.start.numpy().tolist(), strict=True)]


def test_the_best_comes_first_and_of_equals_the_first():
    rows = [(1, "a", 1.0), (0, "b", 0.5), (1, "c", 2.0), (1, "d", 1.0), (0, "e", 0.5)]
    expected = [(0, "b", 1), (0, "e", 4), (1, "c", 2), (1, "a", 0), (1, "d", 3)]
    assert read(best_first(candidates(rows))) == expected


def test_scores_are_told_apart_in_float64():
    found = best_first(candidates([(0, "a", 1.0), (0, "b", 1.0 + 1e-12)]))
    assert read(found) == [(0, "b", 1), (0, "a", 0)]


def test_a_text_is_kept_once_for_each_question():
    rows = [(0, "a", 1.0), (0, "b 1", 1.0), (0, "a", 1.0), (1, "a", 1.0), (10, "a", 1.0)]
    assert read(distinct(candidates(rows))) == [
        (0, "a", 0),
        (0, "b 1", 1),
        (1, "a", 3),
        (10, "a", 4),
    ]
