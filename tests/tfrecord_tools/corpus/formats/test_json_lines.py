"""JSON lines: documents, and what is wrong with a line."""

import json

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus.formats import json_lines
from tfrecord_tools.corpus.settings import CorpusSettings


def read(text, **settings):
    settings = CorpusSettings(input_file=["a"], input_format="jsonl", **settings)
    return list(json_lines.read(text, "a.jsonl", 11, settings))


def test_each_object_is_a_document_and_empty_lines_are_passed_over():
    texts = ["the port\n  the ship ", "", "東京\u2028京"]
    text = "\n \r\n".join(json.dumps({"id": 1, "text": text}) for text in texts)
    assert read(text) == [(11, ["the port", "the ship"]), (13, [""]), (15, ["東京\u2028京"])]


def test_the_field_is_named_by_a_flag():
    assert read('{"body": "port", "text": 1}', text_field="body") == [(11, ["port"])]


def test_half_a_surrogate_pair_is_replaced():
    assert read(r'{"text": "the \ud83d port"}') == [(11, ["the \ufffd port"])]
    assert read(r'{"text": "\ud83d\udea2"}') == [(11, ["\U0001f6a2"])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"title": "a", "body": "b"}',
            "'text' must .*a.jsonl, line 12, it is not there.*'title', 'body'",
        ),
        ('{"text": null, "id": 1}', "line 12, it is null. The fields are 'text', 'id'"),
        ('{"text": NaN}', "line 12, it is NaN"),
        ('{"text": ["a"]}', r"line 12, it is \[\"a\"\]"),
        ("{}", "line 12, it is not there. The fields are none"),
        ("[1, 2]", "a.jsonl, line 12, holds a list: "),
        ('"text"', "line 12, holds a str"),
        ("the port", "line 12, is no JSON: .*begins with 'the port'"),
        ('{"text": "the po', "line 12, is no JSON"),
        ("[" * 100_000, "line 12, is no JSON"),
        ("1" * 10_000, "line 12, is no JSON"),
    ],
    ids=lambda value: value[:20],
)
def test_a_line_at_fault_is_named(line, message):
    with pytest.raises(InputError, match=message) as error:
        read('{"text": "port"}\n' + line + "\n")
    assert len(str(error.value)) < 500


def test_many_fields_are_named_in_part():
    with pytest.raises(InputError, match="'field0', 'field1'") as error:
        read(json.dumps({f"field{number}": 0 for number in range(5000)}))
    assert len(str(error.value)) < 500
