"""Files -> documents of token ids, as the original reads them."""

import pytest

from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.corpus import blocks
from tfrecord_tools.corpus.settings import CorpusSettings
from tfrecord_tools.single_stream.reading import read_documents, read_lines

TOKENS = "[PAD] [UNK] [CLS] [SEP] [MASK] the ship sail ##s port a b . , и σ ς ##b ##и"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text(TOKENS.replace(" ", "\n") + "\n", encoding="utf-8")
    return WordPieceTokenizer(str(path))


def lines_of(*contents, tmp_path, **settings):
    paths = []
    for number, content in enumerate(contents):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(content)
        paths.append(str(path))
    settings = CorpusSettings(input_file=paths, **settings)
    return list(read_lines(settings, lambda num_bytes: None))


def test_only_line_feeds_end_lines_and_carriage_returns_go(tmp_path):
    content = "the port\r\n  the\u2028ship \u3000\n\x0c\nsail\rs".encode()
    assert lines_of(content, tmp_path=tmp_path) == ["the port", "the\u2028ship", "", "sails"]


def test_files_follow_each_other_without_a_border(tmp_path):
    assert lines_of(b"a", b"b\n\n", b"c\n", tmp_path=tmp_path) == ["a", "b", "", "c"]


def test_a_byte_order_mark_alone_ends_no_document(tmp_path):
    assert lines_of(b"a\n", b"\xef\xbb\xbf\nb\n", tmp_path=tmp_path) == ["a", "\ufeff", "b"]


def test_documents_that_run_on_into_the_next_file_are_reported(tmp_path, capsys):
    lines_of(b"a\n\n", b"b\n", b"c\n", tmp_path=tmp_path)
    assert "notice: 1 of 3 input files do not end with an empty line" in capsys.readouterr().err


def test_blocks_change_no_line(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 7)
    monkeypatch.setattr(blocks, "LONGEST_BLOCK", 30)
    content = b"the ship\n\n\n \nthe port\nsails\n" + b"a b\n" * 40 + b"\nb\n\n"
    expected = [line.strip() for line in content.decode().split("\n")[:-1]]
    assert lines_of(content, tmp_path=tmp_path) == expected


def test_bytes_that_are_not_utf_8_stop_with_file_and_line(tmp_path):
    with pytest.raises(InputError, match=r"0\.txt, line 2, .*0xe9 \(number 4.*encoding_errors"):
        lines_of(b"port\ncaf\xe9 port\n", tmp_path=tmp_path)


@pytest.mark.parametrize(
    ("policy", "expected", "said"),
    [
        ("replace", ["the", "port"], "notice: 1 lines that are not UTF-8 had bytes replaced"),
        ("skip", ["port"], "notice: 1 lines that are not UTF-8 were left out"),
    ],
)
def test_bytes_that_are_not_utf_8_leave_no_token(
    policy, expected, said, tmp_path, tokenizer, capsys
):
    content = b"the \xe9\nport\n"
    lines = lines_of(content, tmp_path=tmp_path, encoding_errors=policy)
    sentences = [[tokenizer.vocab[token]] for token in expected]
    assert read_documents(lines, tokenizer) == [sentences]
    assert said in capsys.readouterr().err


def test_files_that_cannot_be_read_are_named(tmp_path):
    settings = CorpusSettings(input_file=[str(tmp_path / "missing")])
    with pytest.raises(InputError, match="missing"):
        list(read_lines(settings, lambda num_bytes: None))


def test_a_file_without_text_is_reported(tmp_path, capsys):
    lines_of(b"the port\n", b" \n\n", tmp_path=tmp_path)
    error = capsys.readouterr().err
    assert "1.txt holds no text" in error
    assert "0.txt" not in error


def test_running_text_gives_sentences_and_an_end_for_each_document(tmp_path):
    content = b'{"text": "The ship sails. The port.\\nA hotel."}\n{"text": "A ship."}'
    assert lines_of(content, tmp_path=tmp_path, input_format="jsonl") == [
        *["The ship sails.", "The port.", "A hotel.", ""],
        *["A ship.", ""],
    ]


def test_what_has_no_tokens_is_left_out(tokenizer):
    lines = ["", "the ship", "\u200b", "", "", "\u200b\x01", "", "port"]
    documents = read_documents(lines, tokenizer)
    ids = tokenizer.vocab
    assert documents == [[[ids["the"], ids["ship"]]], [[ids["port"]]]]
