"""Files of questions, and what may be wrong with them."""

import copy
import json

import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.squad.reading import Answer, read_squad, require_unique_ids, with_answers
from tests.tasks.squad import reference
from tests.tasks.squad.reference import content, question

ANSWERED = content(("  the port", [question(answers=[("the", 2)])]))
PLACE = r"data\[0\].paragraphs\[0\].qas\[0\]"


@pytest.fixture
def read(tmp_path):
    def read(whole):
        path = tmp_path / "squad.json"
        path.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
        return read_squad(str(path))

    return read


def test_what_a_file_holds(read):
    file = read(content(("  a b\n", []), ("c", [question("why?", [("c", 0)], "7")])))
    assert file.contexts == ["  a b\n", "c"]
    assert file.questions == [("7", "why?", 1, (Answer("c", 0),), False)]


@pytest.mark.parametrize(("version", "num_impossible"), [("v1.1", 0), ("v2.0", 31)])
def test_released_files(version, num_impossible):
    file = reference.golden_file(version)
    require_unique_ids(file)
    assert sum(question.is_impossible for question in file.questions) == num_impossible
    for question_ in file.questions:
        for text, start in question_.answers:
            assert file.contexts[question_.context][start:].startswith(text)


@pytest.mark.parametrize("left_out", ["answers", "is_impossible"])
def test_a_file_for_prediction_needs_no_answers(read, left_out):
    whole = content(("c", [question(is_impossible=False)]))
    del whole["data"][0]["paragraphs"][0]["qas"][0][left_out]
    assert read(whole).questions[0].answers == ()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["data"], None, "the whole must have a key `data`"),
        (["data"], {}, r"data must be an array. Received: \{\}"),
        (["data", 0], 7, r"data\[0\] must be an object. Received: 7"),
        (["data", 0, "paragraphs"], None, r"data\[0\] must have a key `paragraphs`"),
        (["data", 0, "paragraphs", 0, "context"], None, "must have a key `context`"),
        (["data", 0, "paragraphs", 0, "context"], ["a"], r"paragraphs\[0\].context must be text"),
        (["data", 0, "paragraphs", 0, "qas"], "q", r"paragraphs\[0\].qas must be an array"),
        (["data", 0, "paragraphs", 0, "qas", 0, "id"], None, f"{PLACE} must have a key `id`"),
        (["data", 0, "paragraphs", 0, "qas", 0, "id"], 3, f"{PLACE}.id must be text. Received: 3"),
        (["data", 0, "paragraphs", 0, "qas", 0, "question"], None, f"{PLACE} .* `question`"),
        (
            ["data", 0, "paragraphs", 0, "qas", 0, "answers", 0, "text"],
            None,
            rf"{PLACE}.answers\[0\] must have a key `text`",
        ),
        (
            ["data", 0, "paragraphs", 0, "qas", 0, "answers", 0, "answer_start"],
            True,
            rf"{PLACE}.answers\[0\].answer_start must be a whole number. Received: true",
        ),
        (
            ["data", 0, "paragraphs", 0, "qas", 0, "is_impossible"],
            "no",
            f"{PLACE}.is_impossible must be true or false",
        ),
    ],
)
def test_what_is_missing_or_of_another_kind_is_named(read, path, value, message):
    whole = copy.deepcopy(ANSWERED)
    parent = whole
    for key in path[:-1]:
        parent = parent[key]
    if value is None:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    with pytest.raises(InputError, match=f"squad.json: .*{message}"):
        read(whole)


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        ("[1, 2", "squad.json must be a JSON file"),
        ("[" * 100_000, "squad.json must be a JSON file"),
        ("[]", "the whole must be an object"),
        (content(), "must hold questions"),
        (content(("c", [])), "must hold questions"),
        (content(("a \ud83d", [question()])), "must be a JSON file.*surrogates not allowed"),
    ],
)
def test_what_is_no_file_of_questions(read, whole, message):
    with pytest.raises(InputError, match=message):
        read(whole)


def test_an_id_must_be_of_one_question(read):
    file = read(content(("c", [question(question_id="7")]), ("d", [question(question_id="7")])))
    with pytest.raises(InputError, match="twice: '7'"):
        require_unique_ids(file)


def test_a_question_to_learn_from_has_an_answer(read):
    file = read(content(("c", [question(question_id="7")])))
    with pytest.raises(InputError, match="or --version_2_with_negative. Received none for '7'"):
        with_answers(file, version_2=False)
    with pytest.raises(InputError, match="`is_impossible`: true. Received none for '7'"):
        with_answers(file, version_2=True)


def test_only_version_2_knows_impossible_questions(read):
    impossible = question(answers=[("c", 0)], is_impossible=True)
    file = read(content(("c", [impossible])))
    assert with_answers(file, version_2=True).questions[0].is_impossible
    assert not with_answers(file, version_2=False).questions[0].is_impossible
