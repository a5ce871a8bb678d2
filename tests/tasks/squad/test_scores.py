"""The official scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.squad.reading import Answer, Question
from bert_keras.tasks.squad.scores import normalized_words, scores_v1, scores_v2
from tests.tasks.squad import reference

GOLDS = st.lists(st.sampled_from(["", "the", "a b", "b c", "The B, c."]), max_size=2)
ODDS = st.integers(-20, 20).map(float)


def question(*answers):
    return Question("q", "why?", 0, tuple(Answer(text, 0) for text in answers), not answers)


@pytest.mark.parametrize("version", reference.VERSIONS)
def test_scores_are_those_of_the_official_scripts(version):
    expected = reference.read_json(version, "scores.json")
    questions = reference.golden_file(version).questions
    predictions = [expected["predictions"][question.id] for question in questions]
    if version == "v1.1":
        found = scores_v1(questions, predictions)
    else:
        odds = [expected["null_odds"][question.id] for question in questions]
        found = scores_v2(questions, predictions, odds)
    assert found == pytest.approx(expected["scores"], abs=1e-9)
    assert [*found] == [*expected["scores"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The  U.S.\u00a0Army\n", ["us", "army"]),
        ("an 'apple', a pear", ["apple", "pear"]),
        ("theme-park", ["themepark"]),
        ("the", []),
        ("“Straße”", ["“straße”"]),  # only ASCII punctuation goes
    ],
)
def test_normalization(text, words):
    assert normalized_words(text) == words


def test_means_by_hand():
    questions = [question("New York", "York"), question("a b c d")]
    assert scores_v1(questions, ["the york!", "b x"]) == {
        "exact_match": 50.0,
        "f1": pytest.approx(100 * (1 + 2 * 1 / (3 + 2)) / 2),  # a is an article
    }


@pytest.mark.parametrize(("prediction", "f1_1", "f1_2"), [("", 0, 0), ("an", 0, 0), ("x", 0, 0)])
def test_nothing_in_common(prediction, f1_1, f1_2):
    assert scores_v1([question("b")], [prediction])["f1"] == f1_1
    assert scores_v2([question("b")], [prediction], [0.0])["f1"] == f1_2


def test_version_2_wants_silence_where_there_is_no_answer():
    found = scores_v2([question(), question(), question("b")], ["", "x", ""], [1.0, -1.0, 2.0])
    assert (found["NoAns_exact"], found["HasAns_exact"]) == (50, 0)
    assert (found["NoAns_total"], found["HasAns_total"], found["total"]) == (2, 1, 3)


def test_without_impossible_questions_there_are_no_scores_of_them():
    assert "NoAns_exact" not in scores_v2([question("b")], ["b"], [0.0])


@given(st.lists(st.tuples(GOLDS, st.sampled_from(["", "b c", "a x"]), ODDS), min_size=1))
def test_the_best_threshold_is_the_best_of_all(rows):
    """Each tried by emptying the predictions above it; of null odds that are equal one is kept."""
    rows = [*{odds: row for *_, odds in rows for row in rows if row[2] == odds}.values()]
    questions = [
        question(*(gold for gold in golds if normalized_words(gold))) for golds, *_ in rows
    ]
    odds = [row[2] for row in rows]

    def emptied(threshold):
        return ["" if null > threshold else text for _, text, null in rows]

    found = scores_v2(questions, emptied(1e9), odds)
    for name in ("exact", "f1"):
        tried = [scores_v2(questions, emptied(t), odds)[name] for t in (-1e9, *odds)]
        assert found[f"best_{name}"] == pytest.approx(max(tried))


def test_a_model_that_never_answers_has_collapsed(capsys):
    scores_v2([question("a"), question()], ["", ""], [0.0, 0.0])
    assert "all 2 predictions are that there is no answer" in capsys.readouterr().err
    scores_v2([question("a"), question()], ["b", ""], [0.0, 0.0])
    scores_v2([question(), question()], ["", ""], [0.0, 0.0])
    assert not capsys.readouterr().err
