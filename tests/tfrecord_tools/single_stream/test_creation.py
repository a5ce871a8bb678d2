"""The single stream makes the same records of the same documents, however they come."""

import bz2
import gzip
import io
import json

import pytest
import zstandard

from bert_keras.errors import InputError
from tfrecord_tools.create_pretraining_data import Settings, create_pretraining_data

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "ship", "sail", "##s", "port", "."]
DOCUMENTS = [
    [f"The ship sails to {'the ' * number}port.", "A port.", "Sail the ship."]
    for number in range(20)
]
PLAIN = "".join("\n".join(sentences) + "\n\n" for sentences in DOCUMENTS)
RUNNING = [" ".join(sentences) for sentences in DOCUMENTS]


@pytest.fixture
def records_of(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS))

    def make(content, name="corpus", **settings):
        (tmp_path / name).write_bytes(content)
        output = tmp_path / f"{name}.tfrecord"
        settings = {"input_file": [str(tmp_path / name)], "dupe_factor": 2, **settings}
        files = {"output_file": [str(output)], "vocab_file": str(tmp_path / "vocab.txt")}
        create_pretraining_data(Settings(**files, **settings))
        return output.read_bytes()

    return make


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, zstandard.compress])
def test_compressed_files_make_the_same_records(compress, records_of):
    assert records_of(compress(PLAIN.encode())) == records_of(PLAIN.encode(), "plain")


def test_standard_input_makes_the_same_records(records_of, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    assert records_of(b"", input_file=["-"]) == records_of(PLAIN.encode(), "plain")


@pytest.mark.parametrize(
    ("input_format", "content"),
    [
        ("paragraphs", "\n\n".join(text.replace(" ship", "\nship") for text in RUNNING)),
        ("jsonl", "\n".join(json.dumps({"text": text}) for text in RUNNING)),
        (
            "wikiextractor",
            "".join(f'<doc id="1">\nPort\n\n{text}\nHeading\n</doc>\n' for text in RUNNING),
        ),
    ],
)
def test_each_format_makes_the_same_records(input_format, content, records_of):
    found = records_of(content.encode(), input_format=input_format, min_passage_length=20)
    assert found == records_of(PLAIN.encode(), "plain")


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs", "files", "jsonl"])
@pytest.mark.parametrize("content", [b"", b" \n\n", "\u3000\n\u200b".encode()])
def test_a_corpus_without_a_word_is_an_error(input_format, content, records_of, tmp_path):
    if input_format == "jsonl" and content.strip():
        content = json.dumps({"text": content.decode()}).encode()
    with pytest.raises(InputError, match="must hold text; .*corpus holds no word"):
        records_of(content, input_format=input_format)
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", "vocab.txt"}
