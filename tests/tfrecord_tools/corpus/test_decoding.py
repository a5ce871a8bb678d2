"""Bytes that are not UTF-8: the place named, and the three policies."""

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus.decoding import LEFT_OUT, decode, notify_of_invalid_lines

TEXT = "the café\n\nthe port\n"
MIXED = b"the port\n" + "café\n".encode("latin-1") + "東京\n".encode()


def decoded(data, policy, first_line=1):
    num_invalid = []
    return decode(data, "a.txt", first_line, policy, num_invalid.append), sum(num_invalid)


@pytest.mark.parametrize("policy", ["fail", "replace", "skip"])
def test_utf_8_stays_as_it_is(policy):
    text = "\ufeff東京 \u2028\0\U0001f6a2\r\n\ufffd"
    assert decoded(text.encode(), policy) == (text, 0)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (MIXED, r"a.txt, line 102, holds the byte 0xe9 \(number 4 of the line\)"),
        (TEXT.encode("utf-16"), r"line 101, holds the byte 0xff \(number 1 of"),
        (TEXT.encode("utf-16-be"), r"line 101, holds the byte 0xe9 \(number 16 of"),
        ("the port is large\n".encode("utf-16-le"), r"line 101, .*0x00 \(number 2 .*like UTF-16"),
        (b"port\n\n\nship \xed\xa0\x80", r"line 104, holds the byte 0xed \(number 6 "),
        (b"\xc0\xaf", r"line 101, holds the byte 0xc0"),
    ],
    ids=["Latin-1", "UTF-16", "UTF-16 big", "UTF-16 of ASCII", "surrogate", "overlong"],
)
def test_other_bytes_stop_with_file_line_and_byte(data, place):
    with pytest.raises(InputError, match=place):
        decoded(data, "fail", first_line=101)


def test_a_nul_here_and_there_is_no_utf_16():
    assert decoded(b"the\0 p\0o\0rt\0\0\0\n", "fail") == ("the\0 p\0o\0rt\0\0\0\n", 0)


def test_replaced_bytes_are_those_that_python_replaces():
    assert decoded(MIXED, "replace") == ("the port\ncaf\ufffd\n東京\n", 1)
    assert decoded(MIXED, "replace")[0] == MIXED.decode("utf-8", "replace")


def test_lines_left_out_keep_their_number():
    assert decoded(MIXED, "skip") == (f"the port\n{LEFT_OUT}\n東京\n", 1)


def test_the_notice_counts_lines(capsys):
    notify_of_invalid_lines(0, "skip")
    notify_of_invalid_lines(1234, "skip")
    said = "notice: 1,234 lines that are not UTF-8 were left out (--encoding_errors)\n"
    assert capsys.readouterr().err == said
