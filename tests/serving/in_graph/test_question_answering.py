"""Answers in a graph are those of the task in Python."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.serving.in_graph.question_answering import InGraphQuestionAnswering
from bert_keras.tasks.squad.predictions import NULL_ODDS_WITHOUT_SPAN
from bert_keras.tasks.squad.task import PossibleAnswer, QuestionAnswering, SpanAnswer
from tests.serving.in_graph import fake_model
from tests.serving.in_graph.texts import decoded, texts, tokenizers
from tests.tokenizers.texts import SENTENCES

NUMBERS = {"max_seq_length": 24, "doc_stride": 7, "max_query_length": 6}
VERSION_2 = {**NUMBERS, "version_2_with_negative": True}
TASKS = {
    "version 1.1": ("multilingual-cased", {**NUMBERS, "max_answer_length": 6}),
    "version 2.0": ("uncased", {**VERSION_2, "n_best_size": 5, "null_score_diff_threshold": -0.1}),
    "one answer": ("uncased", {**VERSION_2, "n_best_size": 1, "null_score_diff_threshold": -0.4}),
    "usual sizes": ("uncased", {}),
}


@functools.cache
def twins(name):
    """A task in Python with its tokenizer, and in a graph with its model."""
    vocabulary, fields = TASKS[name]
    plain, spans = tokenizers(vocabulary)
    task, config = QuestionAnswering(**fields), BertConfig(vocab_size=plain.vocab_size)
    twin = InGraphQuestionAnswering(task, config, plain, spans)

    @tf.function(input_signature=[*twin.signature.values()])
    def answer(question, context):
        rows = twin.encode(question, context)
        outputs = {name: fake_model.in_graph(rows, column) for name, column in COLUMNS.items()}
        return rows, twin.decode(rows, outputs)

    return task, config, plain, lambda batch: answer(*columns_of(batch))


COLUMNS = {"start_logits": 0, "end_logits": 1}


def columns_of(batch):
    return (tf.constant([pair[column] for pair in batch], tf.string) for column in (0, 1))


def in_python(task, config, plain, batch):
    encoded = task.encode([tuple(map(decoded, pair)) for pair in batch], plain)
    rows = encoded.examples.tokens["input_ids"]
    outputs = {name: fake_model.in_python(rows, column) for name, column in COLUMNS.items()}
    return encoded, task.decode(encoded, outputs, config)


def answers(found) -> list[SpanAnswer]:
    """What tensors say, without the padding."""
    found = {name: values.numpy().tolist() for name, values in found.items()}
    names = [f"n_best_{name}" for name in ("answer", "start", "end", "score")]
    read = []
    for row, count in enumerate(found["num_answers"]):
        columns = [found[name][row] for name in names]
        assert not any(any(column[count:]) for column in columns)  # padding
        n_best = [
            PossibleAnswer(text.decode(), *others)
            for text, *others in zip(*(column[:count] for column in columns), strict=True)
        ]
        text, *others = (
            found[name][row] for name in ("answer", "start", "end", "score", "null_odds")
        )
        read.append(SpanAnswer(text.decode(), *others, n_best))
    return read


def assert_alike(found: list[SpanAnswer], expected: list[SpanAnswer]) -> None:
    def without_scores(all_answers):
        return [
            (*answer[:3], [possible[:3] for possible in answer.n_best]) for answer in all_answers
        ]

    def scores(all_answers):
        return [
            score
            for answer in all_answers
            for score in (*answer[3:5], *(possible.score for possible in answer.n_best))
        ]

    assert without_scores(found) == without_scores(expected)
    np.testing.assert_allclose(scores(found), scores(expected), rtol=1e-6)


def assert_twins_agree(name, batch):
    *python, in_graph = twins(name)
    encoded, expected = in_python(*python, batch)
    rows, found = in_graph(batch)
    tokens = encoded.examples.tokens
    assert rows.ids.to_list() == [row.tolist() for row in tokens["input_ids"]]
    assert rows.segment_ids.to_list() == [row.tolist() for row in tokens["segment_ids"]]
    features = encoded.places
    assert rows.owner.numpy().tolist() == [window.question for window in features.windows]
    assert_alike(answers(found), expected)
    return expected


@pytest.mark.parametrize("name", TASKS)
@given(batch=st.lists(st.tuples(texts, texts), max_size=4))
def test_windows_and_answers_are_those_of_python(name, batch):
    assert_twins_agree(name, batch)


@pytest.mark.parametrize("name", TASKS)
def test_long_contexts_are_seen_in_windows(name):
    context = " ".join(SENTENCES).encode()
    batch = [
        (SENTENCES[0].encode(), context * 3),
        (b"", b"port"),
        (context, context + b"\xff" + context),
        (b"the ship", b"port " * 3000),
        (b"the ship", b""),
    ]
    expected = assert_twins_agree(name, batch)
    assert expected[-1].null_odds == NULL_ODDS_WITHOUT_SPAN


@pytest.mark.parametrize("name", TASKS)
def test_a_batch_equals_its_rows_one_by_one(name):
    *_, in_graph = twins(name)
    batch = [(SENTENCES[row].encode(), SENTENCES[-row].encode()) for row in range(len(SENTENCES))]
    batch += [(b"who", b""), (b"\xff", b"\xff the port")]
    _, found = in_graph(batch)
    one_by_one = [answers(in_graph([pair])[1]) for pair in batch]
    assert answers(found) == [answer for row in one_by_one for answer in row]


@pytest.mark.parametrize("num_best", [5, 60])
def test_equals_have_the_order_of_python_and_no_answer_comes_last(num_best):
    plain, spans = tokenizers("uncased")
    task = QuestionAnswering(**VERSION_2, n_best_size=num_best)
    twin = InGraphQuestionAnswering(task, None, plain, spans)
    batch = [("who", " ".join(SENTENCES[:2])), ("where", "the port"), ("who", "the port")]
    rows = twin.encode(*columns_of(batch))
    lengths = rows.ids.row_lengths().numpy()
    outputs = {name: [np.ones(length, np.float32) for length in lengths] for name in COLUMNS}
    expected = task.decode(task.encode(batch, plain), outputs, None)
    dense = {name: tf.ones([len(lengths), max(lengths)]) for name in COLUMNS}
    found = answers(twin.decode(rows, dense))
    assert_alike(found, expected)
    assert [answer.n_best[-1].text for answer in found] == [""] * 3
    assert [answer.null_odds for answer in found] == [0] * 3
    assert [answer.text for answer in found] == ["The", "the", "the"]


@pytest.mark.parametrize("name", ["version 1.1", "version 2.0"])
def test_no_question_and_no_window_at_all(name):
    *_, in_graph = twins(name)
    _, found = in_graph([])
    assert found["answer"].shape == (0,)
    assert found["n_best_answer"].shape == (0, 0)
    _, found = in_graph([(b"who", b""), (b"", b"\x00")])
    nothing = SpanAnswer("", 0, 0, 1.0, NULL_ODDS_WITHOUT_SPAN, [PossibleAnswer("", 0, 0, 1.0)])
    assert answers(found) == [nothing] * 2


def test_each_question_needs_a_context():
    plain, spans = tokenizers("uncased")
    twin = InGraphQuestionAnswering(QuestionAnswering(), None, plain, spans)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many contexts as questions"):
        twin.encode(tf.constant(["a", "b"]), tf.constant(["a"]))


def test_answers_that_are_no_parts_of_contexts_are_refused():
    plain, spans = tokenizers("uncased")
    task = QuestionAnswering(answer_text="alignment")
    with pytest.raises(InputError, match="answers are parts of their contexts"):
        InGraphQuestionAnswering(task, None, plain, spans)
