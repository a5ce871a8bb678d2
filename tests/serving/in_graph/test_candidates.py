"""The order of possible answers."""

import tensorflow as tf

from bert_keras.serving.in_graph.candidates import Candidates, best_first, first_of_each_text


def candidates(rows) -> Candidates:
    """Of rows of question and start logit; they start at their place among the rows."""
    question, logit = zip(*rows, strict=True)
    places = tf.range(len(rows))
    logits = tf.constant(logit, tf.float64)
    is_null = tf.zeros([len(rows)], tf.bool)
    return Candidates(tf.constant(question), places, places, logits, 0 * logits, is_null)


def read(found: Candidates):
    return [*zip(found.question.numpy().tolist(), found.start.numpy().tolist(), strict=True)]


def test_the_best_comes_first_and_of_equals_the_first():
    rows = [(1, 1.0), (0, 0.5), (1, 2.0), (1, 1.0), (0, 0.5)]
    assert read(best_first(candidates(rows))) == [(0, 1), (0, 4), (1, 2), (1, 0), (1, 3)]


def test_scores_are_told_apart_in_float64():
    assert read(best_first(candidates([(0, 1.0), (0, 1.0 + 1e-12)]))) == [(0, 1), (0, 0)]


def found_texts(rows, count, num_questions):
    """What comes of rows of question and text, "" is no answer, and how many texts were made."""
    questions, texts = zip(*rows, strict=True)
    made = []

    def text_of(some):
        made.extend(some.start.numpy())
        return tf.gather(tf.constant(texts), some.start)

    ranked = candidates([(question, 0.0) for question in questions])
    ranked = ranked._replace(is_null=tf.constant(texts) == "")
    found, found_texts = first_of_each_text(ranked, text_of, count, tf.constant(num_questions))
    assert found_texts.numpy().tolist() == [texts[start].encode() for start in found.start]
    return read(found), len(made)


def test_a_text_is_kept_once_for_each_question():
    rows = [(0, "a"), (0, "b 1"), (0, "a"), (1, "a"), (10, "a")]
    expected = [(0, 0), (0, 1), (1, 3), (10, 4)]
    assert found_texts(rows, 5, 11) == (expected, 5)


def test_no_more_texts_are_made_than_are_needed():
    different = [(0, str(number)) for number in range(50)]
    assert found_texts(different, 3, 1) == ([(0, 0), (0, 1), (0, 2)], 3)
    rows = [*[(0, "a")] * 4, (0, "b"), (0, "c"), *[(1, "a"), (1, "b"), (1, "d")], *[(2, "a")] * 9]
    expected = [(0, 0), (0, 4), (0, 5), (1, 6), (1, 7), (2, 9)]
    # Of the first question 2, 2 and 4, of which there are but two; of the last one all.
    assert found_texts(rows, 2, 3) == (expected, 6 + 2 + 9)


def test_no_answer_is_kept_wherever_it_comes():
    rows = [(0, "a"), (0, "b"), (0, ""), (1, ""), (1, "a"), (1, "b"), (1, "c"), (2, "")]
    assert found_texts(rows, 1, 4)[0] == [(0, 0), (0, 2), (1, 3), (1, 4), (2, 7)]
