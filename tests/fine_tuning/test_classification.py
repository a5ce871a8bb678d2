import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.fine_tuning import answer_files
from bert_keras.fine_tuning.classification import read_assignment
from bert_keras.run_classifier import Settings
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.checkpoints import stored_models

CONFIG = dataclasses.replace(stored_models.CONFIG, labels=())
TOKENIZER = WordPieceTokenizer(stored_models.vocabulary())
NLI = ("contradiction", "entailment", "neutral")
NLI_ROWS = "".join(f"{index}\ta\tb\t{label}\n" for index, label in enumerate(NLI + NLI[:1]))
TOPICS = "text,topic\na,sun\nb,rain\nc,sun\n"


@pytest.fixture
def assignment(tmp_path):
    """A function of files (name -> text), flags and a stored config -> the task."""

    def read(files, config=None, **flags):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        paths = {
            flag: str(tmp_path / flags.pop(flag))
            for flag in ("train_file", "dev_file", "test_file")
            if flag in flags
        }
        data_dir = flags.pop("data_dir", str(tmp_path))
        settings = Settings(data_dir=data_dir, output_dir=str(tmp_path), **paths, **flags)
        return read_assignment(settings, dataclasses.replace(CONFIG, **config or {}), TOKENIZER)

    return read


def nli(header="index\tsentence1\tsentence2\tgold_label\n"):
    return header + NLI_ROWS


def logits(names, labels):
    return {"logits": list(np.eye(len(labels), dtype=np.float32)[[*map(labels.index, names)]])}


def test_only_what_is_asked_for_is_read(assignment):
    found = assignment({"train.tsv": nli()}, task_name="mnli", do_train=True)
    assert found.config.labels == NLI
    assert found.config.problem_type == "single_label_classification"
    assert found.train.values["label_ids"].tolist() == [0, 1, 2, 0]
    assert (found.evaluations, found.predictions) == ({}, {})


def test_the_scores_of_two_sets_have_two_names_and_the_first_decides(assignment):
    files = {"dev_matched.tsv": nli(), "dev_mismatched.tsv": nli()}
    found = assignment(files, task_name="MNLI", do_eval=True)
    assert found.train is None
    answers = logits([*NLI, "neutral"], NLI)
    scores = [evaluation.score(answers) for evaluation in found.evaluations.values()]
    assert scores == [{"matched_accuracy": 0.75}, {"mismatched_accuracy": 0.75}]
    assert found.metric == "matched_accuracy"


def test_a_set_to_stop_early_by_is_read_without_evaluation(assignment):
    files = {"train.tsv": nli(), "dev_matched.tsv": nli()}
    found = assignment(files, task_name="MNLI", do_train=True, early_stopping_epochs=1)
    assert [*found.evaluations] == ["dev_matched"]


@pytest.mark.parametrize(
    "stored", [NLI, ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), ("neutral", *NLI[:2])]
)
@pytest.mark.parametrize("do", ["do_train", "do_eval"])
def test_a_model_with_its_own_order_of_labels_keeps_it_and_scores_the_same(assignment, stored, do):
    files = {"train.tsv": nli(), "dev_matched.tsv": nli()}
    found = assignment(
        files, {"labels": stored}, task_name="MNLI", early_stopping_epochs=1, **{do: True}
    )
    assert found.config.labels == stored
    names = tuple(label.lower() for label in stored)
    score = found.evaluations["dev_matched"].score
    assert score(logits([*NLI, "contradiction"], names)) == {"matched_accuracy": 1.0}


def test_predictions_are_named_by_the_model_and_those_of_glue_by_the_data(assignment):
    rows = "index\tsentence1\tsentence2\n5\ta\tb\n9\tc\td\n"
    stored = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
    found = assignment(
        {"diagnostic.tsv": rows}, {"labels": stored}, task_name="AX", do_predict=True
    )

    files = found.predictions["diagnostic"].files({"logits": [np.eye(3)[2], np.eye(3)[0]]})

    lines = files["diagnostic_results.tsv"].splitlines()
    assert lines[0] == "id\tENTAILMENT\tNEUTRAL\tCONTRADICTION\tprediction"
    assert lines[1].endswith("\tCONTRADICTION")
    assert files["AX.tsv"] == "index\tprediction\n5\tcontradiction\n9\tentailment\n"


def test_labels_that_say_nothing_become_those_of_the_data(assignment):
    rows = "index\tsentence1\tsentence2\n5\ta\tb\n"
    stored = ("LABEL_0", "LABEL_1")
    found = assignment({"test.tsv": rows}, {"labels": stored}, task_name="RTE", do_predict=True)
    assert found.config.labels == ("entailment", "not_entailment")
    files = found.predictions["test"].files({"logits": [np.eye(2)[1]]})
    assert files["test_results.tsv"].splitlines()[0].startswith("id\tentailment\tnot_entailment")


def test_a_submission_of_similarities_stays_in_their_range(assignment):
    rows = "index\tsentence1\tsentence2\n0\ta\tb\n1\tc\td\n2\te\tf\n"
    found = assignment(
        {"test.tsv": rows}, {"labels": ("score",)}, task_name="STS-B", do_predict=True
    )

    outputs = {"logits": [np.array([x], np.float32) for x in (5.25, 2.5, -0.125)]}
    files = found.predictions["test"].files(outputs)

    assert files["STS-B.tsv"] == "index\tprediction\n0\t5\n1\t2.5\n2\t0\n"
    assert files["test_results.tsv"] == "id\tscore\n0\t5.25\n1\t2.5\n2\t-0.125\n"


def test_predictions_are_put_into_a_zip(assignment, tmp_path, capsys):
    flags = {"task_name": "RTE", "glue_submission": str(tmp_path / "glue.zip"), "do_predict": True}
    files = {"test.tsv": "index\tsentence1\tsentence2\n0\ta\tb\n"}
    found = assignment(files, {"labels": ("entailment", "not_entailment")}, **flags)
    prediction = found.predictions["test"]
    files = prediction.files({"logits": [np.array([0.0, 1.0])]})
    prediction.submit(files)
    assert (tmp_path / "glue.zip").read_bytes().startswith(b"PK")
    assert "glue.zip lacks CoLA.tsv, SST-2.tsv" in capsys.readouterr().err

    (tmp_path / "glue.zip").write_text("no zip")
    with pytest.raises(InputError, match="--glue_submission.*glue.zip"):
        prediction.submit(files)
    assert (tmp_path / "glue.zip").read_text() == "no zip"


def test_a_file_of_no_known_set_cannot_be_submitted(assignment, tmp_path):
    files = {"some.tsv": "index\tsentence1\tsentence2\n0\ta\tb\n"}
    flags = {"task_name": "MNLI", "do_predict": True, "test_file": "some.tsv"}
    assert [*assignment(files, {"labels": NLI}, **flags).predictions] == ["test"]
    message = "predictions of test_matched and test_mismatched.*some.tsv.*--data_dir names"
    with pytest.raises(InputError, match=message):
        assignment(files, {"labels": NLI}, glue_submission=str(tmp_path / "glue.zip"), **flags)


def test_files_may_lie_in_a_bucket(assignment):
    bucket = "ram://classification"
    tf.io.gfile.makedirs(bucket)
    with tf.io.gfile.GFile(f"{bucket}/test.tsv", "w") as file:
        file.write("index\tsentence\n3\ta b\n")
    flags = {"task_name": "SST-2", "glue_submission": f"{bucket}/glue.zip", "do_predict": True}
    found = assignment({}, {"labels": ("0", "1")}, data_dir=bucket, **flags)

    prediction = found.predictions["test"]
    files = prediction.files({"logits": [np.array([0.0, 1.0])]})
    for _ in range(2):  # the second time all of them are there
        answer_files.write(files, bucket, 3)
        prediction.submit(files)

    with tf.io.gfile.GFile(f"{bucket}/SST-2.tsv") as file:
        assert file.read() == "index\tprediction\n3\t1\n"
    assert sorted(tf.io.gfile.listdir(bucket)) == [
        "SST-2.tsv",
        "glue.zip",
        "predictions_made.json",
        "test.tsv",
        "test_results.tsv",
    ]


def test_a_header_where_cola_has_none_is_no_example(assignment):
    files = {"train.tsv": "source\tlabel\tmark\tsentence\ngj04\t1\t\ta b\n"}
    with pytest.raises(InputError, match="line 1: the label must be one of 0, 1.*'label'"):
        assignment(files, task_name="CoLA", do_train=True)


def test_labels_of_other_data_are_those_of_the_training_set(assignment):
    found = assignment(
        {"train.csv": TOPICS, "dev.csv": "text,topic\nd,rain\n"},
        do_train=True,
        do_eval=True,
        text_a_column="text",
        label_column=["topic"],
    )
    assert found.config.labels == ("rain", "sun")
    assert found.train.values["label_ids"].tolist() == [1, 0, 1]
    assert found.metric == "accuracy"
    assert found.evaluations["dev"].score({"logits": [np.array([3.0, 1.0])]}) == {
        "accuracy": 1.0,
        "macro_f1": 1.0,
    }


def test_a_finished_model_says_which_labels_and_what_kind_of_answers_it_has(assignment):
    rows = {"test.csv": "text\na\n", "dev.csv": 'text,label\na,"wind, sun"\n'}
    stored = {"labels": ("sun", "wind"), "problem_type": "multi_label_classification"}
    found = assignment(rows, stored, text_a_column="text", do_eval=True, do_predict=True)
    assert found.config.labels == ("sun", "wind")
    assert found.evaluations["dev"].examples.values["label_marks"].tolist() == [[1, 1]]


@pytest.mark.parametrize(
    "flags", [{"problem_type": "single_label_classification"}, {"label_column": ["sun", "rain"]}]
)
def test_answers_of_another_kind_than_the_finished_model_s_are_refused(assignment, flags):
    stored = {"labels": ("rain", "sun"), "problem_type": "regression"}
    files = {"train.csv": "text,label,rain,sun\na,sun,0,1\nb,rain,1,0\n"}
    for do in ("do_eval", "do_predict"):
        with pytest.raises(InputError, match="made for: regression.*Received: data with .*label_"):
            assignment(files, stored, text_a_column="text", **{do: True}, **flags)
    assert assignment(files, stored, text_a_column="text", do_train=True, **flags).train


def test_several_columns_of_marks(assignment):
    flags = {"text_a_column": "text", "label_column": ["rain", "sun"], "do_train": True}
    found = assignment({"train.csv": "text,rain,sun\na,1,0\nb,1,1\n"}, **flags)
    assert found.config.labels == ("rain", "sun")
    assert found.config.problem_type == "multi_label_classification"
    assert found.train.values["label_marks"].tolist() == [[1, 0], [1, 1]]


def test_numbers_of_a_table_without_header(assignment):
    found = assignment(
        {"train.csv": "a,b,1.5\nc,d,4\n"},
        **{"text_a_column": "1", "text_b_column": "2", "label_column": ["3"]},
        header=False,
        problem_type="regression",
        do_train=True,
    )
    assert found.config.labels == ("score",)
    assert found.train.values["scores"].tolist() == [1.5, 4.0]
    assert [row.tolist() for row in found.train.tokens["segment_ids"]] == [[0, 0, 0, 1, 1]] * 2


@pytest.mark.parametrize(
    "flags, message",
    [
        ({}, "--task_name, or, for other data, --text_a_column"),
        ({"task_name": "RTE", "text_a_column": "text"}, "also --text_a_column"),
        ({"task_name": "XNLI", "glue_submission": "glue.zip"}, "is for a task of GLUE"),
        ({"task_name": "RTE", "header": False}, "also --noheader"),
        ({"task_name": "AX"}, "AX has no training set"),
        ({"task_name": "XNLI"}, "must hold multinli/multinli.train.zh"),
        (
            {"task_name": "RTE", "data_dir": ""},
            "--train_file must be given, or --data_dir with train in it.*--do_train",
        ),
        ({"text_a_column": "text", "problem_type": "ranking"}, "--problem_type must be one of"),
        ({"text_a_column": "text"}, r"train.csv, line 1: .*'label'.*'text', 'topic'"),
        (
            {"text_a_column": "topic", "label_column": ["text"], "labels": ["a", "c"]},
            "train.csv, line 3: the label must be one of a, c. Received: 'b'",
        ),
        (
            {"text_a_column": "text", "label_column": ["topic"], "problem_type": "regression"},
            "train.csv, line 2: .*'topic' must hold a number. Received: 'sun'",
        ),
        (
            {"text_a_column": "text", "label_column": ["topic"], "labels": ["sun", " "]},
            "A label must not be empty",
        ),
        (
            {"text_a_column": "text", "label_column": ["topic"], "labels": ["sun", "ra\tin"]},
            r"neither tabs nor line ends.*'ra\\tin'",
        ),
        (
            {"text_a_column": "text", "label_column": ["topic"], "labels": ["sun"]},
            "single_label_classification needs 2 labels at least.*1 .sun",
        ),
    ],
)
def test_what_cannot_work_is_refused(assignment, flags, message):
    with pytest.raises(InputError, match=message):
        assignment({"train.csv": TOPICS}, do_train=True, **flags)
