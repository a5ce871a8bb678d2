"""Documents of sentences from each format, and what workers load."""

import subprocess
import sys
from pathlib import Path

import pytest

from tfrecord_tools.corpus.blocks import Block, read_blocks
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import CorpusSettings

ROOT = Path(__file__).parents[3]
RUNNING = "The ship sails. It\nis late.\n\nThe port sleeps. * * *\n"


def documents(content, tmp_path, **settings):
    path = tmp_path / "corpus.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    settings = CorpusSettings(input_file=[str(path)], **settings)
    blocks = read_blocks(settings, lambda num_bytes: None)
    found = [document for block in blocks for document in documents_of(block, settings, [].append)]
    assert all(document.source == str(path) for document in found)
    return [(document.line, document.sentences) for document in found]


@pytest.mark.parametrize(
    ("input_format", "expected"),
    [
        ("sentences", [(1, ["The ship sails. It", "is late."]), (4, ["The port sleeps. * * *"])]),
        ("paragraphs", [(1, ["The ship sails.", "It is late."]), (4, ["The port sleeps."])]),
        ("files", [(1, ["The ship sails.", "It is late.", "The port sleeps."])]),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_a_line_end_means(input_format, expected, line_end, tmp_path):
    content = RUNNING.replace("\n", line_end)
    assert documents(content, tmp_path, input_format=input_format) == expected


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs"])
def test_lines_are_kept_on_request(input_format, tmp_path):
    expected = [(1, ["The ship sails. It", "is late."]), (4, ["The port sleeps. * * *"])]
    assert documents(RUNNING, tmp_path, input_format=input_format, keep_lines=True) == expected


def test_lines_of_a_file_are_kept_on_request(tmp_path):
    expected = [(1, ["The ship sails. It", "is late.", "The port sleeps. * * *"])]
    assert documents(RUNNING, tmp_path, input_format="files", keep_lines=True) == expected


def test_lines_of_json_and_of_articles_are_paragraphs(tmp_path):
    text = "A port\\nThe ship sails. It\\n\\nis late in the evening."
    sentences = ["A port", "The ship sails.", "It", "is late in the evening."]
    content = f'{{"text": "{text}"}}\n'
    assert documents(content, tmp_path, input_format="jsonl") == [(1, sentences)]
    article = "<doc id='1'>\nPort\n\n" + text.replace("\\n", "\n") + "\n</doc>\n"
    options = {"input_format": "wikiextractor", "min_passage_length": 0}
    assert documents(article, tmp_path, **options) == [(1, sentences)]


@pytest.mark.parametrize("input_format", ["paragraphs", "files", "wikiextractor", "jsonl"])
def test_a_byte_order_mark_is_taken_off(input_format, tmp_path):
    content = {
        "wikiextractor": "<doc id='1'>\nT\nThe port.\n</doc>\n",
        "jsonl": '{"text": "The port."}',
    }
    given = "\ufeff" + content.get(input_format, "The port.\n")
    options = {"input_format": input_format, "min_passage_length": 0}
    assert documents(given, tmp_path, **options) == [(1, ["The port."])]


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs", "files"])
def test_a_document_of_one_token_is_one(input_format, tmp_path):
    assert documents("port", tmp_path, input_format=input_format) == [(1, ["port"])]


def test_lines_that_are_not_utf_8_are_left_out_and_end_no_document(tmp_path):
    content = b"the port\ncaf\xe9\nthe ship\n\n\xe9\n\nhotel\n"
    expected = [(1, ["the port", "the ship"]), (7, ["hotel"])]
    assert documents(content, tmp_path, encoding_errors="skip") == expected


@pytest.mark.parametrize(("encoding_errors", "num_documents"), [("replace", 3), ("skip", 1)])
def test_they_are_counted(encoding_errors, num_documents):
    settings = CorpusSettings(input_file=["a"], encoding_errors=encoding_errors)
    num_invalid = []
    block = Block("a", 1, b"caf\xe9\n\nport\n\n\xff ship\n", 1)
    assert len(list(documents_of(block, settings, num_invalid.append))) == num_documents
    assert num_invalid == [2]


def test_workers_load_no_tensorflow():
    code = (
        "import sys; import tfrecord_tools.corpus.documents\n"
        "assert not {'tensorflow', 'tensorflow_datasets', 'zstandard'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
