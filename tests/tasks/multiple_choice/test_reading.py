import json
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.multiple_choice.reading import read_examples

GOLDEN = Path(__file__).parents[2] / "golden" / "multiple_choice"
RACE = {
    "id": "high1.txt",
    "article": "The port is old.\nShips come.",
    "questions": ["What comes?", "The port is _ ."],
    "options": [["A hotel", "Ships", "A river"], ["old", "new", "green", "far"]],
    "answers": ["B", "A"],
}


def read(path, is_labeled=True):
    return read_examples([str(path)], is_labeled)


def written(tmp_path, name, content):
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def test_swag():
    examples = read(GOLDEN / "swag.csv")
    assert [example.label for example in examples] == [2, 2, 2]
    assert examples[0] == (
        "18313",
        "Students lower their eyes nervously.",
        (
            "She pats her shoulder, then saunters toward someone.",
            "She turns with two students.",
            "She walks slowly towards someone.",
            "She wheels around as her dog thunders out.",
        ),
        2,
    )


def test_codah_takes_quotation_marks_as_they_stand():
    examples = read(GOLDEN / "codah.tsv")
    assert [example.label for example in examples] == [2, 1, 1, 0, 2, 0]
    assert [example.id for example in examples] == ["0", "1", "2", "3", "4", "5"]
    assert examples[5].context == 'Someone said "home is where the heart lies". He'
    assert examples[0].continuations[1] == "spreads its wings and flies."


def test_json_objects_that_stand_one_after_the_other():
    examples = read(GOLDEN / "swag.json")
    assert [example.label for example in examples] == [0, 3]
    assert examples[1].continuations[3] == (
        "Members of the procession continue to play marching, interspersed."
    )


def test_race_asks_several_questions_about_an_article(tmp_path):
    path = written(tmp_path, "high1.txt", RACE)
    assert read(path) == [
        (
            "high1.txt-1",
            "The port is old.\nShips come.",
            ("What comes? A hotel", "What comes? Ships", "What comes? A river"),
            1,
        ),
        (
            "high1.txt-2",
            "The port is old.\nShips come.",
            ("The port is _ . old", "The port is _ . new", "The port is _ . green")
            + ("The port is _ . far",),
            0,
        ),
    ]


def test_several_files_are_one_set():
    paths = [str(GOLDEN / "codah.tsv"), str(GOLDEN / "swag.json")]
    assert [example.id for example in read_examples(paths, True)] == [*"01234567"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "sent1,sent2,ending0,ending1\nThe ship,It,sails,sinks\n"),
        ("a.csv", "sent1,sent2,ending0,ending1,label\nThe ship,It,sails,sinks,-1\n"),
        ("a.tsv", "sent1\tsent2\tending0\tending1\r\nThe ship\tIt\tsails\tsinks\r\n"),
        ("a.json", '{"sent1": "The ship", "ending0": "It sails", "ending1": "It sinks"}'),
    ],
)
def test_what_is_to_be_answered_needs_no_label(tmp_path, name, text):
    path = written(tmp_path, name, text)
    assert read(path, is_labeled=False) == [("0", "The ship", ("It sails", "It sinks"), None)]
    with pytest.raises(InputError, match="label"):
        read(path)


def test_codah_to_be_answered_may_lack_the_last_column(tmp_path):
    path = written(tmp_path, "a.tsv", "o\tThe ship\ta\tb\tc\td\n")
    assert read(path, is_labeled=False) == [("0", "The ship", ("a", "b", "c", "d"), None)]
    with pytest.raises(InputError, match="line 1: without a header.*--test_file may.*: 6 columns"):
        read(path)


def test_any_number_of_choices_also_in_one_file(tmp_path):
    rows = [
        {"sent1": "a", "label": 0} | {f"ending{index}": "b" for index in range(number)}
        for number in (2, 3, 11)
    ]
    path = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert [len(example.continuations) for example in read(path)] == [2, 3, 11]


def test_ids_fit_in_a_cell_of_a_table(tmp_path):
    row = {"id": "a\tb\nc", "sent1": "a", "ending0": "b", "ending1": "c", "label": 1}
    assert read(written(tmp_path, "a.json", row))[0].id == "a b c"
    assert read(written(tmp_path, "a.json", row | {"id": None}))[0].id == "0"


def codah_row(**changes):
    row = {"category": "o", "prompt": "The ship", "a": "a", "b": "b", "c": "c", "d": "d"}
    return "\t".join((row | {"label": "0"} | changes).values())


@pytest.mark.parametrize(
    ("label", "received"), [("4", '"4"'), ("-1", '"-1"'), ("b", '"b"'), ("", '""'), ("1.0", "1.0")]
)
def test_a_label_that_is_none_is_named_with_its_line_and_those_allowed(tmp_path, label, received):
    path = written(tmp_path, "a.tsv", f"{codah_row()}\n{codah_row(label=label)}\n")
    with pytest.raises(InputError, match=rf"a\.tsv, line 2: .*one of 0, 1, 2, 3.*{received}"):
        read(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", codah_row(prompt=" "), r"line 1: the prompt must be a text.*Received: \" \""),
        ("a.tsv", codah_row(c=""), "line 1: ending 2 must be a text that is not blank"),
        ("a.tsv", f"{codah_row()}\n{codah_row()}\tx", "line 2: a row has as many columns.*: 8"),
        ("a.tsv", "o\tThe ship\ta\tb\tc\t0", "line 1: without a header, a table has 7 columns"),
        ("a.csv", "sent1,ending0,ending1,label\n,b,c,0", "line 2: sent1 must be a text"),
        ("a.csv", "sent1,ending0,ending1,label\na,,c,0", "line 2: ending 0 must be a text"),
        (
            "a.csv",
            "sent1,ending0,ending2,label\na,b,c,0",
            "line 1: there must be a column 'ending1'.*Is 'ending2' meant",
        ),
        ("a.csv", "sent1,ending0,label\na,b,0", r"line 2: .*at least two.*Received: \[\"b\"\]"),
        ("a.csv", "sent1,ending0,ending1,label\na,b,c,2", 'line 2: the label .* 0, 1. Rec.*"2"'),
        ("a.csv", "sent1,ending0,ending1,label\na,b\n", "line 2: a row has as many columns"),
        (
            "a.csv",
            "sent1,ending0,ending1,label\n",
            "must hold rows.*a.csv, which has a header alone",
        ),
        ("a.json", "\n \n", "must be examples. Received: none in .*a.json"),
        ("a.json", '{"sent1": "a"}\n[1]', r"line 1: .*at least two endings.*Received: \[\]"),
        ("a.json", "\n[1]\n", r"line 2: JSON objects must stand one after the other.*: '\[1\]"),
        ("a.json", '{"ending0": "a",\n "ending1": null}', "line 1: ending 1 must.*Received: null"),
        ("a.json", '{\n}\n\n{"sent1": }', "line 1: there must be"),
        ("a.jsonl", '{"sent1": "\\ud800"}', "line 1: JSON objects must stand one after the other"),
        ("a.doc", "x", r"ends in \.csv, \.tsv, \.json, \.jsonl, \.txt"),
    ],
)
def test_what_breaks_a_rule_is_named_with_its_place(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, name, text))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"article": ""}, "line 1: article must be a text"),
        ({"questions": ["What?", None]}, "line 1, question 2: the question .*Received: null"),
        ({"questions": ["What?"]}, "questions, options, answers must be lists with an entry for"),
        ({"answers": "BA"}, "must be lists with an entry for each question"),
        ({"answers": ["B", "E"]}, 'question 2: the label .*one of A, B, C, D. Received: "E"'),
        ({"answers": ["D", "A"]}, 'question 1: the label .*one of A, B, C. Received: "D"'),
        ({"options": [["a", " "], ["a", "b"]]}, "question 1: ending 1 must be a text"),
        ({"options": [["a", "b"], "ab"]}, 'question 2: .*at least two.*Received: "ab"'),
    ],
)
def test_a_fault_of_race_is_named_with_its_question(tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, "high1.txt", RACE | changes))
