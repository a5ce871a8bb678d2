import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.classification import single_label
from bert_keras.tasks.classification.reading import Layout, read_examples

PAIRS = Layout(text_a=("first", "a"), text_b=("second", "b"), answer=("label",), id=("index",))
SINGLE = Layout(text_a=("text",), text_b=(), answer=("label",))


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8", newline="")
        return str(path)

    return write


def test_a_pair_with_its_label_id_and_place(write):
    path = write("a.tsv", "index\tfirst\tsecond\tlabel\n7\tA ship\tThe port\tno\n")
    assert read_examples(path, PAIRS, single_label.read) == [
        ("7", "A ship", "The port", "no", f"{path}, line 2")
    ]


def test_a_column_may_have_several_names(write):
    path = write("a.jsonl", '{"a": "x", "b": "y", "label": 1}\n')
    [example] = read_examples(path, PAIRS, single_label.read)
    assert (example.text_a, example.text_b, example.answer) == ("x", "y", "1")


def test_rows_without_an_id_are_numbered_from_0(write):
    path = write("a.tsv", "text\tlabel\na\tyes\nb\tno\n")
    assert [example.id for example in read_examples(path, SINGLE, single_label.read)] == ["0", "1"]


def test_a_named_id_column_must_be_there(write):
    path = write("a.tsv", "text\tlabel\na\tyes\n")
    with pytest.raises(InputError, match=r"a.tsv, line 1: .*'name'.*'text', 'label'"):
        read_examples(path, SINGLE._replace(id=("name",), is_numbered=False), None)


def test_examples_without_answers_need_no_label_column(write):
    path = write("a.tsv", "text\nThe ship\n\nThe port\n")
    examples = read_examples(path, SINGLE, None)
    assert [(e.text_a, e.text_b, e.answer) for e in examples] == [
        ("The ship", None, None),
        ("", None, None),
        ("The port", None, None),
    ]


def test_a_label_that_was_not_asked_for_is_not_looked_at(write):
    path = write("a.tsv", "text\tlabel\nThe ship\t\n")
    assert read_examples(path, SINGLE, None)[0].answer is None


def test_rows_of_other_languages_are_left_out(write):
    path = write("a.tsv", "language\ttext\tlabel\nde\tein\tja\nfr\tun\toui\nde\tzwei\tja\n")
    layout = SINGLE._replace(wanted={"language": "de"})
    assert [e.text_a for e in read_examples(path, layout, single_label.read)] == ["ein", "zwei"]
    with pytest.raises(InputError, match="a.tsv must hold rows with language = sw"):
        read_examples(path, SINGLE._replace(wanted={"language": "sw"}), single_label.read)


def test_other_names_of_labels_are_translated(write):
    path = write("a.tsv", "text\tlabel\na\tcontradictory\nb\tneutral\n")
    layout = SINGLE._replace(other_names={"contradictory": "contradiction"})
    examples = read_examples(path, layout, single_label.read)
    assert [example.answer for example in examples] == ["contradiction", "neutral"]


@pytest.mark.parametrize("value", ["null", "NaN", '["a"]', '"a\\tb"', '"a\\nb"', '""'])
def test_what_cannot_be_a_label_is_refused_by_its_place(write, value):
    path = write("a.jsonl", f'{{"text": "a", "label": "x"}}\n{{"text": "b", "label": {value}}}\n')
    with pytest.raises(InputError, match="a.jsonl, line 2: .*'label'"):
        read_examples(path, SINGLE, single_label.read)


def test_a_missing_column_is_refused_with_what_there_is(write):
    path = write("a.tsv", "sentence\tlabel\na\tyes\n")
    with pytest.raises(InputError, match=r"line 1: .*'first' or 'a'.*'sentence', 'label'"):
        read_examples(path, PAIRS, single_label.read)
