import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tasks.tables import read_objects, read_rows

# Any character that UTF-8 can write.
fields = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
tables = st.lists(st.tuples(fields, fields), min_size=1, max_size=5)


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def values(path, **options):
    return [row.values for row in read_rows(path, **options)]


def test_quotation_marks_of_a_tsv_are_text(write):
    path = write("a.tsv", 'text\tlabel\n"A ship\tyes\nit is 5" long"\tno\n')
    assert values(path) == [
        {"text": '"A ship', "label": "yes"},
        {"text": 'it is 5" long"', "label": "no"},
    ]


def test_quotation_marks_of_a_csv_hold_commas_and_line_ends(write):
    path = write("a.csv", 'text,label\n"a, ""b""\nc",yes\nd\te,no\n')
    assert [tuple(row) for row in read_rows(path)] == [
        (path, 2, {"text": 'a, "b"\nc', "label": "yes"}),
        (path, 4, {"text": "d\te", "label": "no"}),
    ]


def test_json_lines_hold_any_value(write):
    path = write("a.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "label": ["x", "y"]}\n')
    assert values(path) == [{"text": "a", "label": 1}, {"text": "b", "label": ["x", "y"]}]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt"])
def test_windows_lines_byte_order_mark_and_blank_last_lines_do_no_harm(write, name):
    separator = "," if name.endswith("csv") else "\t"
    content = f"text{separator}label\r\na b{separator}yes\r\nc{separator}\r\n\r\n"
    path = write(name, b"\xef\xbb\xbf" + content.encode())
    assert values(path) == [{"text": "a b", "label": "yes"}, {"text": "c", "label": ""}]


def test_a_missing_last_line_end_does_no_harm(write):
    assert values(write("a.tsv", "text\tlabel\na\tyes")) == [{"text": "a", "label": "yes"}]


def test_columns_without_a_header_are_numbered(write):
    assert values(write("a.csv", "a,1\nb,2\n"), header=False) == [
        {"1": "a", "2": "1"},
        {"1": "b", "2": "2"},
    ]


@pytest.mark.parametrize("other", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_line_ends_of_unicode_are_text(write, other):
    for name, separator in (("a.tsv", "\t"), ("a.csv", ",")):
        path = write(name, f"text{separator}label\na{other}b{separator}yes\n")
        assert values(path) == [{"text": f"a{other}b", "label": "yes"}]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "texts", [["a", "", "b"], ["a", ""], ["a", "", "b", "", ""], ["", "a", ""], ["a"]]
)
def test_an_empty_line_of_a_single_column_is_an_empty_text_wherever_it_stands(
    write, name, end, texts
):
    path = write(name, "".join(f"{text}{end}" for text in ("text", *texts)))
    assert [row.text("text") for row in read_rows(path)] == texts
    path = write(name, "".join(f"{text}{end}" for text in texts))
    assert [(row.line, row.text("1")) for row in read_rows(path, header=False)] == [
        *enumerate(texts, start=1)
    ]
    if texts[-1]:
        write(name, end.join(texts))
        assert [row.text("1") for row in read_rows(path, header=False)] == texts


@given(tables)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows):
    content = io.StringIO()
    csv.writer(content, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(content.getvalue().encode())
    assert [tuple(row.values.values()) for row in read_rows(str(path))] == rows


@given(tables)
def test_what_the_json_module_writes_is_read_back(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "written.jsonl"
    path.write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in rows))
    assert [(row.text("a"), row.text("b")) for row in read_rows(str(path))] == rows


@given(
    st.lists(st.dictionaries(fields, fields), min_size=1, max_size=4),
    st.lists(st.text(" \t\r\n"), min_size=5, max_size=5),
    st.sampled_from([None, 2]),
)
def test_blanks_between_and_within_json_objects_mean_nothing(
    tmp_path_factory, objects, blanks, indent
):
    texts = [json.dumps(values, indent=indent) for values in objects]
    path = tmp_path_factory.getbasetemp() / "objects.json"
    path.write_text("".join(map("".join, zip(blanks, [*texts, ""], strict=False))), newline="")
    assert [row.values for row in read_objects(str(path))] == objects


def test_a_line_is_counted_also_where_objects_take_several(write):
    path = write("a.json", '\n{"text":\n"a"}\n\n{"text": "b"} {"text": "c"}\n{,}')
    rows = read_objects(path)
    assert [next(rows).line for _ in range(3)] == [2, 5, 5]
    with pytest.raises(InputError, match=r"line 6: JSON objects must.*Received: '\{,\}'"):
        next(rows)


def test_a_text_longer_than_the_csv_module_takes_by_itself_is_read(write):
    text = "word " * 40_000
    assert values(write("a.csv", f"text,label\n{text},yes\n"))[0]["text"] == text


def refused(path, *words, **options):
    with pytest.raises(InputError) as error:
        for row in read_rows(path, **options):
            row.text("text")
    for word in (path, *words):
        assert word in str(error.value)


def test_a_row_with_a_wrong_number_of_columns_is_refused_by_its_line(write):
    refused(
        write("a.tsv", "text\tlabel\na\tyes\nb\tc\tno\n"), "line 3", "2 (text, label)", "3: ['b'"
    )
    refused(write("a.csv", "text,label\na\n"), "line 2", "2 (text, label)", "1: ['a'")
    refused(write("a.tsv", "text\tlabel\n\nb\tno\n"), "line 2")


def test_rows_with_a_wrong_number_of_columns_can_be_left_out(write, capsys):
    path = write("a.tsv", "text\tlabel\na\tyes\nb\nc\tno\td\ne\tno\n")
    assert [row.line for row in read_rows(path, skip_broken=True)] == [2, 5]
    assert f"{path}: 2 rows with a wrong number of columns" in capsys.readouterr().err


@pytest.mark.parametrize(
    "value, shown", [("null", "null"), ("NaN", "NaN"), ("3", "3"), ('["a"]', '["a"]')]
)
def test_what_is_no_text_is_refused_by_its_column(write, value, shown):
    refused(write("a.jsonl", f'{{"text": {value}}}\n'), "line 1", "'text'", shown)


def test_a_missing_column_is_refused_with_those_that_there_are(write):
    refused(write("a.tsv", "sentence\tlabel\na\tyes\n"), "line 1", "'text'", "'sentence', 'label'")
    refused(write("a.jsonl", '{"text": "a"}\n{"sentence": "b"}\n'), "line 2", "'sentence'")


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_a_file_without_rows_is_refused(write, name):
    refused(write(name, ""), "empty")
    refused(write(name, "\n\r\n"), "empty")


def test_a_header_alone_is_refused(write):
    refused(write("a.tsv", "text\tlabel\n"), "header alone")
    refused(write("a.csv", "text,label\n\n\n"), "header alone")
    refused(write("a.txt", "text\r\n"), "header alone")


def test_other_faults_are_refused_by_their_line(write):
    refused(write("a.csv", 'text,label\na,yes\n"b"c,no\n'), "line 3", "quotation marks")
    refused(write("a.csv", 'text,label\na,yes\n"b,no\n'), "line 3", "quotation marks")
    refused(write("a.tsv", b"text\tlabel\ncaf\xe9\tyes\n"), "line 2", "UTF-8")
    refused(write("a.tsv", "text\tlabel\ttext\na\tb\tc\n"), "line 1", "'text' twice")
    refused(write("a.jsonl", '{"text": "a"}\n{"text": }\n'), "line 2", "JSON object")
    refused(write("a.jsonl", '["a"]\n'), "line 1", "JSON object")
    refused(write("a.jsonl", '{"text": "\\ud800"}\n'), "line 1", "surrogates")


def test_a_name_that_does_not_say_how_it_is_read_is_refused(write):
    refused(write("a.xls", "text\na\n"), ".tsv, .csv, .jsonl, .json, .txt")


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("id,Review Text,Topic\n1,a,b\n", "Is 'Topic' meant?"),
        ("id;text;topic\n1;a;b\n", "parted by commas"),
    ],
)
def test_what_is_meant_by_a_column_that_is_not_there(write, content, hint):
    [row] = read_rows(write("a.csv", content))
    with pytest.raises(InputError, match=hint.replace("?", r"\?")):
        row.text("topic")
