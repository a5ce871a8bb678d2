import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.squad.task import PossibleAnswer, QuestionAnswering
from tests.tasks.squad import reference

CONFIG = BertConfig.named("tiny", 100)
TOKENIZER = reference.small_tokenizer()


def answers(task, inputs, logit_of):
    """Of a model whose logits of start and end are those of the token alone."""
    encoded = task.encode(inputs, TOKENIZER)
    rows = [
        np.array([logit_of.get(token, 0) for token in TOKENIZER.convert_ids_to_tokens(ids)])
        for ids in encoded.examples.tokens["input_ids"]
    ]
    logits = [row.astype(np.float32) for row in rows]
    return task.decode(encoded, {"start_logits": logits, "end_logits": logits}, CONFIG)


def test_an_answer_stands_in_its_context():
    context = "by  the (Port), a ship"
    [found] = answers(QuestionAnswering(), [("which ?", context)], {"port": 5})
    assert (found.text, found.start, found.end) == ("Port", 9, 13)
    assert found.n_best[0] == PossibleAnswer("Port", 9, 13, found.score)
    assert sum(one.score for one in found.n_best) == pytest.approx(1)
    assert len(found.n_best) == QuestionAnswering().n_best_size


def test_no_answer_is_empty_and_stands_at_the_begin():
    task = QuestionAnswering(version_2_with_negative=True)
    [found] = answers(task, [("x", "the ship")], {"[CLS]": 9})
    assert (found.text, found.start, found.end) == ("", 0, 0)
    assert found.score == found.n_best[0].score > 0.9
    [without] = answers(QuestionAnswering(), [("x", "")], {})
    assert (without.text, without.n_best) == ("", [PossibleAnswer("", 0, 0, 1.0)])


def test_questions_about_one_context_and_several():
    inputs = [("a", "the ship"), ("b", "a port"), ("c", "the ship")]
    found = answers(QuestionAnswering(), inputs, {"ship": 3, "port": 3})
    assert [one.text for one in found] == ["ship", "port", "ship"]


@given(st.lists(st.sampled_from(["ship", "port ", " ", ".", "\u200b", "caf\u00e9"]), max_size=40))
def test_every_candidate_is_a_part_of_the_context(parts):
    context = "".join(parts)
    task = QuestionAnswering(max_seq_length=12, doc_stride=3, max_query_length=4)
    [found] = answers(task, [("by ?", context)], {"port": 1, "ship": 2, ".": 3})
    for one in (found, *found.n_best):
        assert context[one.start : one.end] == one.text


def test_the_original_s_texts_may_differ_from_the_context_and_are_a_setting():
    context = "a ship  (1895-1943)."
    task = QuestionAnswering(answer_text="alignment")
    [found] = answers(task, [("x", context)], {"ship": 3, "1895": 3, "(": 3})
    spans = {one.text: context[one.start : one.end] for one in found.n_best}
    assert spans["ship (1895"] == "ship  (1895"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"max_seq_length": 66}, "must exceed --max_query_length by more than 3.* Received: 66"),
        ({"answer_text": "guess"}, "must be one of alignment, offsets. Received: guess"),
    ],
)
def test_what_can_work_with_no_input_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        QuestionAnswering(**fields)


@pytest.mark.parametrize("one", ["a", ["a", "b"], ("a",), ("a", None), None])
def test_what_is_no_question_with_a_context_is_refused(one):
    with pytest.raises(InputError, match=r"input 0 must be a pair, \(question, context\)"):
        QuestionAnswering().encode([one], TOKENIZER)
