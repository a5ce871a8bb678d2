import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.feature_extraction.lines import Line, count_lines, pools, read_lines
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

TOKENIZER = WordPieceTokenizer(
    {token: index for index, token in enumerate([*SPECIAL_TOKENS, *"abcdef", "|"])}
)


def lines_of(folder, content, max_seq_length=16):
    path = folder / "in.txt"
    path.write_bytes(content)
    lines = list(read_lines(str(path), TOKENIZER, max_seq_length))
    assert [line.index for line in lines] == list(range(count_lines(str(path))))
    return [" ".join(line.tokens) for line in lines]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a b\n", ["[CLS] a b [SEP]"]),
        (b"a ||| b c", ["[CLS] a [SEP] b c [SEP]"]),
        (b"a ||| b ||| c", ["[CLS] a | | | b [SEP] c [SEP]"]),  # as the original's expression
        (b"a||| b", ["[CLS] a | | | b [SEP]"]),
        (b"a ||| ", ["[CLS] a | | | [SEP]"]),
        (b"\n a \r\n\nb", ["[CLS] [SEP]", "[CLS] a [SEP]", "[CLS] [SEP]", "[CLS] b [SEP]"]),
        (b"a\xe2\x80\xa8b\n", ["[CLS] a b [SEP]"]),  # U+2028 ends no line
        (b"\xef\xbb\xbfa", ["[CLS] a [SEP]"]),
        (b"", []),
    ],
)
def test_a_sequence_for_each_line(tmp_path, content, expected):
    assert lines_of(tmp_path, content) == expected


def test_the_longer_text_is_cut(tmp_path):
    assert lines_of(tmp_path, b"a b c d ||| e f", 7) == ["[CLS] a b [SEP] e f [SEP]"]
    assert lines_of(tmp_path, b"a b c d", 5) == ["[CLS] a b c [SEP]"]


def test_segments_are_those_of_text_a_and_b(tmp_path):
    (tmp_path / "in.txt").write_text("a ||| b c")
    (line,) = read_lines(str(tmp_path / "in.txt"), TOKENIZER, 16)
    assert line.segment_ids == [0, 0, 0, 1, 1, 1]


def test_a_line_that_is_not_utf_8_is_named_before_anything_is_computed(tmp_path):
    (tmp_path / "in.txt").write_bytes(b"a\n\xe9b\n")
    with pytest.raises(InputError, match=r"in\.txt, line 2, holds the byte 0xe9"):
        count_lines(str(tmp_path / "in.txt"))


@given(st.lists(st.integers(2, 9)), st.integers(1, 30))
def test_pools_are_all_lines_in_their_order_and_bounded(lengths, num_tokens):
    lines = [Line(i, ["a"] * length, [0] * length) for i, length in enumerate(lengths)]
    found = list(pools(lines, num_tokens))
    assert [line for pool in found for line in pool] == lines
    for pool in found:
        assert pool and sum(len(line.tokens) for line in pool[:-1]) < num_tokens
