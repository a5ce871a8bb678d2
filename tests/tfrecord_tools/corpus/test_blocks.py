"""Blocks against the text that they are cut from."""

import contextlib
import gzip
import os
import random
import tracemalloc

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus import blocks, compression
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import CorpusSettings

ENDS = {
    "sentences": "the ship sails\nport\n\n",
    "paragraphs": "The ship\nsails. A port.\n \t\n",
    "wikiextractor": '<doc id="1">\nPort\n\nThe port is at the end of the long river.\n</doc>\n',
    "jsonl": '{"text": "The port is large. A ship."}\n',
    "files": "The ship sails.\n\nA port.\n",
}


def settings_of(path, **settings):
    return CorpusSettings(input_file=[str(path)], **settings)


def read(settings):
    return list(blocks.read_blocks(settings, lambda num_bytes: None))


def documents(settings):
    return [
        document
        for block in read(settings)
        for document in documents_of(block, settings, [].append)
    ]


@contextlib.contextmanager
def traced_memory():
    """Gives a function that returns the most bytes that Python held at a time."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def make_small(monkeypatch, block_bytes=100, document_bytes=400, line_bytes=400):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(blocks, "MAX_DOCUMENT_BYTES", document_bytes)
    monkeypatch.setattr(blocks, "MAX_LINE_BYTES", line_bytes)
    monkeypatch.setattr(blocks, "LONGEST_BLOCK", block_bytes + document_bytes)


@pytest.mark.parametrize("input_format", ENDS)
@pytest.mark.parametrize("chunk_bytes", [1, 7, 64, 1000, 1 << 20])
def test_blocks_are_the_text_cut_where_a_document_ends(
    input_format, chunk_bytes, tmp_path, monkeypatch
):
    make_small(monkeypatch)
    monkeypatch.setattr(compression, "CHUNK_BYTES", chunk_bytes)
    path = tmp_path / "corpus.txt"
    text = ENDS[input_format] * (15 if input_format == "files" else 100)
    path.write_text(text.rstrip("\n"))
    found = read(settings_of(path, input_format=input_format))
    assert b"".join(block.data for block in found) == text.rstrip("\n").encode()
    line = 1
    for block in found:
        assert block.first_line == line
        line += block.data.count(b"\n")
    assert len(found) == (1 if input_format == "files" else pytest.approx(len(text) / 120, rel=0.3))
    assert all(block.document_line == block.first_line for block in found)
    assert all(block.data.endswith(ENDS[input_format].encode()) for block in found[:-1])


def test_blocks_do_not_depend_on_what_the_disk_gives_at_a_time(tmp_path, monkeypatch):
    make_small(monkeypatch)
    rng = random.Random(1)
    lines = rng.choices(["a ship", "", " ", "\u3000", "port" * 9, "\r", "sails."], k=3000)
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), newline="")
    settings = settings_of(path)
    expected = read(settings)
    assert len(expected) > 50
    for chunk_bytes in (1, 3, 50, 333):
        monkeypatch.setattr(compression, "CHUNK_BYTES", chunk_bytes)
        assert read(settings) == expected


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs"])
def test_documents_are_those_of_the_whole_text(input_format, tmp_path, monkeypatch):
    rng = random.Random(2)
    blanks = [chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) != "\n"]
    lines = rng.choices(
        ["a ship.", "A port\u2028sails.", "", *blanks], [20, 20, 1] + [1] * 28, k=9000
    )
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), newline="")
    settings = settings_of(path, input_format=input_format, keep_lines=True)
    whole = documents(settings)
    make_small(monkeypatch)
    assert documents(settings) == whole
    assert len(read(settings)) > 100
    plain = [[]]
    for line in lines:
        plain.append([]) if not line.strip() else plain[-1].append(line.strip())
    assert [document.sentences for document in whole] == [lines for lines in plain if lines]
    assert all(lines[document.line - 1].strip() for document in whole)


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs", "files"])
def test_parts_of_a_document_that_is_cut_have_its_source_and_line(
    input_format, tmp_path, monkeypatch, capsys
):
    make_small(monkeypatch)
    path = tmp_path / "corpus.txt"
    path.write_text("\n\na ship\n" + "the port is large\n" * 100 + "\n \n\nthe hotel\n")
    settings = settings_of(path, input_format=input_format, keep_lines=True)
    found = documents(settings)
    parts = [document for document in found if document.line == 3]
    assert len(parts) > 3
    assert (
        sum((part.sentences for part in parts), [])[:101]
        == ["a ship"] + ["the port is large"] * 100
    )
    assert max(len("\n".join(part.sentences)) for part in parts) <= 500
    if input_format != "files":
        assert found[-1] == (["the hotel"], str(path), 107)
    assert capsys.readouterr().err == (
        f"notice: the document in line 3 of {path} is longer than 0 MB: it is cut\n"
    )


@pytest.mark.parametrize("input_format", ["sentences", "paragraphs", "files"])
@pytest.mark.parametrize("seed", range(20))
def test_the_parts_of_a_document_are_together_the_document(
    input_format, seed, tmp_path, monkeypatch
):
    rng = random.Random(seed)
    lines = rng.choices(["", " ", "a", "ship", "the port is large"], [seed, 1, 50, 50, 50], k=1000)
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines))
    settings = settings_of(path, input_format=input_format, keep_lines=True)
    whole = {document.line: document.sentences for document in documents(settings)}
    make_small(monkeypatch, rng.randint(1, 100), rng.randint(30, 300))
    joined = {}
    for document in documents(settings):
        joined.setdefault(document.line, []).extend(document.sentences)
    assert joined == whole


def test_each_document_that_is_cut_is_reported_once(tmp_path, monkeypatch, capsys):
    make_small(monkeypatch)
    path = tmp_path / "corpus.txt"
    path.write_text(("the port is large\n" * 100 + "\n") * 3)
    lines = {document.line for document in documents(settings_of(path))}
    assert lines == {1, 102, 203}
    assert capsys.readouterr().err.count("is cut") == 3


def test_an_article_that_does_not_end_is_an_error(tmp_path, monkeypatch):
    make_small(monkeypatch)
    path = tmp_path / "wiki_00"
    path.write_text(ENDS["wikiextractor"] + '<doc id="2">\n' + "the port is large\n" * 100)
    with pytest.raises(InputError, match="document in line 6 of .*wiki_00 must end within"):
        read(settings_of(path, input_format="wikiextractor"))


@pytest.mark.parametrize("input_format", ENDS)
def test_a_line_that_is_too_long_is_an_error(input_format, tmp_path, monkeypatch):
    make_small(monkeypatch)
    path = tmp_path / "corpus.txt"
    for chunk_bytes in (1, 100, 400):
        monkeypatch.setattr(compression, "CHUNK_BYTES", chunk_bytes)
        path.write_text(ENDS[input_format] + "x" * 400 + "\n\n" + ENDS[input_format])
        if input_format != "wikiextractor":
            read(settings_of(path, input_format=input_format))
        path.write_text("the port\n\nthe ship\n" + "x" * 401 + "\n\nthe port\n")
        with pytest.raises(InputError, match="line 4 of .*corpus.txt is longer"):
            read(settings_of(path, input_format=input_format))


@pytest.mark.parametrize("input_format", ENDS)
def test_two_gigabytes_without_a_line_end_are_refused_in_little_memory(input_format, tmp_path):
    path = tmp_path / "corpus.txt"
    with open(path, "wb") as file:
        file.write(b"the port\n")
        file.truncate(2 << 30)  # takes no room on the disk
    with traced_memory() as peak:
        with pytest.raises(InputError, match="line 2 of .* is longer"):
            read(settings_of(path, input_format=input_format))
        assert peak() < 64 << 20


def test_memory_does_not_grow_with_a_file(tmp_path):
    path = tmp_path / "corpus.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(200):
            file.write(b"the ship sails to the port\n\n" * 20_000)
    with traced_memory() as peak:
        lengths = [
            len(block.data) for block in blocks.read_blocks(settings_of(path), lambda _: None)
        ]
        assert peak() < 16 << 20
    assert sum(lengths) == 112_000_000


def test_a_file_named_twice_is_read_twice_and_its_end_ends_a_document(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("the port")
    found = read(CorpusSettings(input_file=[str(path), str(path)]))
    assert found == [blocks.Block(str(path), 1, b"the port", 1)] * 2


@pytest.mark.parametrize("other", ["wikiextractor", "jsonl"])
def test_markup_read_as_plain_text_is_reported_once(other, tmp_path, capsys):
    path = tmp_path / "corpus"
    path.write_text(ENDS[other])
    given = [str(path), str(path)]
    read(CorpusSettings(input_file=given))
    said = f"notice: {path} looks like {other}, but is read as --input_format=sentences\n"
    assert capsys.readouterr().err == said
    read(CorpusSettings(input_file=given, input_format=other))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n\xe3\x80\x80"])
def test_files_without_text_are_reported(content, tmp_path, capsys):
    path = tmp_path / "blank.txt"
    path.write_bytes(content)
    assert documents(settings_of(path)) == []
    assert capsys.readouterr().err == f"notice: {path} holds no text\n"


def test_bytes_are_counted_as_they_lie_on_the_disk(tmp_path):
    path = tmp_path / "corpus.gz"
    path.write_bytes(gzip.compress(b"the port\n\n" * 500_000))
    num_bytes = []
    list(blocks.read_blocks(settings_of(path), num_bytes.append))
    assert sum(num_bytes) == os.path.getsize(path)
