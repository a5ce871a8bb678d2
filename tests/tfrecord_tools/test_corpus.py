"""Files -> documents of token ids."""

import pytest

from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.corpus import read_corpus_lines, read_documents

TOKENS = "[PAD] [UNK] [CLS] [SEP] [MASK] the ship sail ##s port a b . , и σ ς ##b ##и"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text(TOKENS.replace(" ", "\n") + "\n", encoding="utf-8")
    return WordPieceTokenizer(str(path))


def lines_of(*contents, tmp_path, drop_invalid_bytes=False):
    paths = []
    for number, content in enumerate(contents):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(content)
        paths.append(str(path))
    return list(read_corpus_lines(paths, drop_invalid_bytes, lambda num_bytes: None))


def test_only_line_feeds_end_lines_and_carriage_returns_go(tmp_path):
    content = "the port\r\n  the\u2028ship \u3000\n\x0c\nsail\rs".encode()
    assert lines_of(content, tmp_path=tmp_path) == ["the port", "the\u2028ship", "", "sails"]


def test_files_follow_each_other_without_a_border(tmp_path):
    assert lines_of(b"a", b"b\n\n", b"c\n", tmp_path=tmp_path) == ["a", "b", "", "c"]


def test_documents_that_run_on_into_the_next_file_are_reported(tmp_path, capsys):
    lines_of(b"a\n\n", b"b\n", b"c\n", tmp_path=tmp_path)
    assert "notice: 1 of 3 input files do not end with an empty line" in capsys.readouterr().err


def test_bytes_that_are_not_utf_8_stop_with_file_and_line(tmp_path):
    with pytest.raises(InputError, match=r"0\.txt, line 2, .*0xe9 \(number 4.*drop_invalid_bytes"):
        lines_of(b"port\ncaf\xe9 port\n", tmp_path=tmp_path)


def test_bytes_that_are_not_utf_8_are_dropped_on_request(tmp_path):
    lines = lines_of(b"caf\xe9 port\n", tmp_path=tmp_path, drop_invalid_bytes=True)
    assert lines == ["caf port"]


def test_files_that_cannot_be_read_are_named():
    with pytest.raises(InputError, match="/missing/file cannot be read"):
        list(read_corpus_lines(["/missing/file"], False, lambda num_bytes: None))


def test_a_file_without_text_is_reported(tmp_path, capsys):
    lines_of(b"the port\n", b" \n\n", tmp_path=tmp_path)
    error = capsys.readouterr().err
    assert "1.txt holds no text" in error
    assert "0.txt" not in error


def test_what_has_no_tokens_is_left_out(tokenizer):
    lines = ["", "the ship", "\u200b", "", "", "\u200b\x01", "", "port"]
    documents = read_documents(lines, tokenizer)
    ids = tokenizer.vocab
    assert documents == [[[ids["the"], ids["ship"]]], [[ids["port"]]]]
