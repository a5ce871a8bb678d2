import pytest

from bert_keras.config import REGRESSION
from bert_keras.errors import InputError
from bert_keras.tasks.classification import regression, single_label
from bert_keras.tasks.classification.description import find_files
from bert_keras.tasks.classification.glue import SUBMISSION, TASKS, known_task
from bert_keras.tasks.classification.reading import read_examples

NLI_COLUMNS = (
    "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
    "sentence1_parse\tsentence2_parse\tsentence1\tsentence2"
)
STS_COLUMNS = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2"
NLI_ROW = "5\t9\t9e\tfiction\t( a )\t( b )\t(ROOT a)\t(ROOT b)\tThe sea rose.\tIt fell."
STS_ROW = "5\tmain\tMSRvid\t2012test\t0001\tnone\tnone\tA cat eats.\tA dog eats."

# Task, a file of its download, what is in it, and the texts and the answer of its only row.
FILES = [
    ("CoLA", "train", 'gj04\t1\t\tThe "cat" sat.\n', 'The "cat" sat.', None, "1"),
    ("CoLA", "dev", "gj04\t0\t*\tCat the sat.\n", "Cat the sat.", None, "0"),
    ("CoLA", "test", "index\tsentence\n5\tThe cat sat.\n", "The cat sat.", None, None),
    ("SST-2", "dev", "sentence\tlabel\na fine film \t1\n", "a fine film ", None, "1"),
    ("SST-2", "test", "index\tsentence\n5\ta fine film\n", "a fine film", None, None),
    (
        "MRPC",
        "train",
        '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\t" He left\tHe went "\r\n',
        '" He left',
        'He went "',
        "1",
    ),
    (
        "MRPC",
        "test",
        "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n5\t7\t8\tHe left\tHe went\n",
        "He left",
        "He went",
        None,
    ),
    (
        "STS-B",
        "dev",
        f"{STS_COLUMNS}\tscore\n{STS_ROW}\t1.400\n",
        "A cat eats.",
        "A dog eats.",
        1.4,
    ),
    ("STS-B", "test", f"{STS_COLUMNS}\n{STS_ROW}\n", "A cat eats.", "A dog eats.", None),
    (
        "QQP",
        "train",
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n5\t1\t2\tHow?\tWhy?\t0\n"
        "6\t3\t4\tWhat is\n",
        "How?",
        "Why?",
        "0",
    ),
    ("QQP", "test", "id\tquestion1\tquestion2\n5\tHow?\tWhy?\n", "How?", "Why?", None),
    (
        "MNLI",
        "train",
        f"{NLI_COLUMNS}\tlabel1\tgold_label\n{NLI_ROW}\tneutral\tcontradiction\n",
        "The sea rose.",
        "It fell.",
        "contradiction",
    ),
    (
        "MNLI",
        "dev_mismatched",
        f"{NLI_COLUMNS}\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\tgold_label\n"
        f"{NLI_ROW}\tneutral\tneutral\tentailment\tneutral\tneutral\tneutral\n",
        "The sea rose.",
        "It fell.",
        "neutral",
    ),
    ("MNLI", "test_matched", f"{NLI_COLUMNS}\n{NLI_ROW}\n", "The sea rose.", "It fell.", None),
    (
        "QNLI",
        "dev",
        "index\tquestion\tsentence\tlabel\n5\tWho?\tShe did.\tentailment\n",
        "Who?",
        "She did.",
        "entailment",
    ),
    (
        "RTE",
        "train",
        "index\tsentence1\tsentence2\tlabel\n5\tIt rains.\tIt is wet.\tnot_entailment\n",
        "It rains.",
        "It is wet.",
        "not_entailment",
    ),
    ("WNLI", "test", "index\tsentence1\tsentence2\n5\tIt rains.\tIt.\n", "It rains.", "It.", None),
    (
        "AX",
        "diagnostic",
        "index\tsentence1\tsentence2\n5\tHe is.\tIs he.\n",
        "He is.",
        "Is he.",
        None,
    ),
    (
        "XNLI",
        "xnli.dev",
        "language\tgold_label\tsentence1\tsentence2\tpairID\n"
        "fr\tneutral\tIl pleut.\tIl neige.\t1\nde\tentailment\tEs regnet.\tEs ist nass.\t1\n",
        "Es regnet.",
        "Es ist nass.",
        "entailment",
    ),
    (
        "XNLI",
        "multinli/multinli.train.de",
        "premise\thypo\tlabel\nEs regnet.\tEs ist nie nass.\tcontradictory\n",
        "Es regnet.",
        "Es ist nie nass.",
        "contradiction",
    ),
]


def read(task, folder, name):
    description = TASKS[task]
    has_answers = name in (*description.dev, description.train.format(language="de"))
    answers = regression if description.problem_type == REGRESSION else single_label
    return read_examples(
        find_files(folder, [name])[name],
        description.layout("de"),
        answers.read if has_answers else None,
        header=name not in description.without_header,
        skip_broken=name == description.train and description.has_broken_rows,
    )


@pytest.mark.parametrize("task, name, content, text_a, text_b, answer", FILES)
def test_files_of_the_official_download(tmp_path, task, name, content, text_a, text_b, answer):
    path = tmp_path / f"{name}.tsv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="")

    [example] = read(task, str(tmp_path), name)

    assert (example.text_a, example.text_b, example.answer) == (text_a, text_b, answer)
    assert answer is None or answer in TASKS[task].labels or task == "STS-B"
    assert example.id == ("5" if content.startswith(("index", "id\t")) else "0")


def test_mnli_as_json_lines(tmp_path):
    (tmp_path / "dev_matched.jsonl").write_text(
        '{"premise": "The sea rose.", "hypothesis": "It fell.", "label": "contradiction"}\n'
    )
    [example] = read("MNLI", str(tmp_path), "dev_matched")
    assert example[1:4] == ("The sea rose.", "It fell.", "contradiction")


def test_labels_are_in_the_order_of_the_original():
    """`get_labels` of MnliProcessor, MrpcProcessor, ColaProcessor, XnliProcessor."""
    assert TASKS["MNLI"].labels == TASKS["XNLI"].labels
    assert TASKS["MNLI"].labels == ("contradiction", "entailment", "neutral")
    assert TASKS["MRPC"].labels == TASKS["CoLA"].labels == ("0", "1")


def test_the_submission_has_the_files_that_the_server_takes():
    names = "CoLA SST-2 MRPC STS-B MNLI-m MNLI-mm QNLI RTE WNLI QQP AX"
    assert sorted(SUBMISSION) == sorted(f"{name}.tsv" for name in names.split())


@pytest.mark.parametrize("name", ["sts-b", "STSB", "sts_b", "STS-B"])
def test_a_name_is_known_however_it_is_written(name):
    assert known_task(name) is TASKS["STS-B"]


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(InputError, match="CoLA, SST-2.*XNLI.*--text_a_column.*'snli'"):
        known_task("snli")
