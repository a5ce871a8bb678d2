"""The tasks of `fine_tuning`, a row each: program, files, flags, what is to be expected.

Of QNLI, QQP, MNLI and SQuAD parts of the official files were to be had.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bert_keras.files import read_text, write_text

NUM_TRAINING_SENTENCES = 1600  # of the 2,001 of UNER's file: it has one for development only


class Row(NamedTuple):
    """One run, or several that differ in their seed.

    Attributes:
        program: the module of `bert_keras`.
        metric: the official score.
        files: flag -> a path in the folder of the data; "{run}" stands for that of the run.
        flags: the others that the recipe is made of.
        num_seeds: how many runs are made.
        data: what is learned and what is scored, for the reader.
        expected: what is to be seen, and where that is known from.
        least: the score of the official metric below which something is wrong; None: unknown.
        prepare: makes files from the folders of data and run.
    """

    program: str
    metric: str
    files: Mapping[str, str]
    flags: Mapping[str, Any]
    num_seeds: int
    data: str
    expected: str
    least: float | None = None
    prepare: Callable[[str, str], None] | None = None


def split_uner(data_dir: str, run_dir: str) -> None:
    """Sentences of one file become a training and a development set."""
    text = read_text(f"{data_dir}/ner-uner-ewt/en_ewt-ud-dev.iob2")
    sentences = [block + "\n\n" for block in text.split("\n\n") if block.strip()]
    Path(run_dir).mkdir(parents=True, exist_ok=True)
    write_text(f"{run_dir}/train.iob2", "".join(sentences[:NUM_TRAINING_SENTENCES]))
    write_text(f"{run_dir}/dev.iob2", "".join(sentences[NUM_TRAINING_SENTENCES:]))


def glue(
    name: str, metric: str, num_seeds: int, data: str, expected: str, least=None, **changes: Any
) -> Row:
    """A task of GLUE: batches of 32, 3 epochs (paper, section 4.1), rate 5e-5."""
    return Row(
        program="run_classifier",
        metric=metric,
        files={"data_dir": f"glue/{name}"},
        flags={"task_name": name} | changes,
        num_seeds=num_seeds,
        data=data,
        expected=expected,
        least=least,
    )


def slice_of(name: str, metric: str, train: str, dev: str, data: str, expected: str) -> Row:
    """A task of GLUE of which a part is there."""
    files = {"train_file": f"glue/{name}/{train}", "dev_file": f"glue/{name}/{dev}"}
    return glue(name, metric, 1, data, expected)._replace(files=files)


def squad(version: str, data: str, expected: str, **changes: Any) -> Row:
    """SQuAD: windows of 384 pieces; a few articles of the official development set."""
    return Row(
        program="run_squad",
        metric="f1",
        files={
            "train_file": f"squad/train-from-dev-v{version}.json",
            "predict_file": f"squad/dev-v{version}.json",
        },
        flags=changes,
        num_seeds=1,
        data=data,
        expected=expected,
    )


def tagging(train: str, dev: str, data: str, prepare=None) -> Row:
    """Entities of sentences: many short ones, so the rate of the paper's grid that learns most."""
    return Row(
        program="run_tagging",
        metric="f1",
        files={"train_file": train, "dev_file": dev},
        flags={"learning_rate": 5e-5, "num_train_epochs": 4.0},
        num_seeds=3,
        data=data,
        expected="no number is known for these weights",
        prepare=prepare,
    )


ROWS = {
    "MRPC": glue(
        "MRPC",
        "f1",
        3,
        "3,668 pairs; dev: 408",
        "0.863: PyTorch's transformers on the same weights, the same recipe, one seed",
        0.86,
    ),
    "RTE": glue(
        "RTE",
        "accuracy",
        3,
        "2,490 pairs; half of dev: 139",
        "0.50 is the larger class; BERT-Base has 0.66 (paper, Table 1, test)",
        max_seq_length=256,
    ),
    "STS-B": glue(
        "STS-B",
        "spearman",
        3,
        "5,749 pairs; dev: 1,500",
        "0.867: the cosines of the same weights without training",
        0.87,
    ),
    "CoLA": glue(
        "CoLA",
        "matthews_correlation",
        3,
        "8,551 sentences; half of dev: 522",
        "0 is chance; BERT-Base has 0.52 (paper, Table 1, test)",
    ),
    "WNLI": glue(
        "WNLI",
        "accuracy",
        3,
        "635 pairs; dev: 71",
        "0.563 is the larger class; the paper leaves it out (appendix B.1)",
        learning_rate=2e-5,
    ),
    "SST-2": glue(
        "SST-2",
        "accuracy",
        1,
        "67,349 sentences; dev: 872",
        "0.935: BERT-Base with 3 epochs (paper, Table 1, test)",
        0.90,
        num_train_epochs=1.0,
    ),
    "QNLI": slice_of(
        "QNLI",
        "accuracy",
        "train_from_dev_0000-3199.tsv",
        "dev_3200-4199.tsv",
        "3,200 pairs of dev; 1,000 others",
        "no number is known: the training set is 3 % of the official one",
    ),
    "QQP": slice_of(
        "QQP",
        "f1",
        "train_slice.tsv",
        "dev_slice.tsv",
        "10,000 pairs; 2,000 others",
        "no number is known: the training set is 3 % of the official one",
    ),
    "MNLI": slice_of(
        "MNLI",
        "accuracy",
        "train_from_dev_matched_0000-4999.jsonl",
        "dev_matched_5000-6499.jsonl",
        "5,000 pairs of dev, matched; 1,500 others",
        "no number is known: the training set is 1 % of the official one",
    ),
    "SQuAD 1.1": squad(
        "1.1",
        "2,539 questions of dev; 888 others",
        "no number is known: the training set is 3 % of the official one",
    ),
    "SQuAD 2.0": squad(
        "2.0",
        "2,224 questions of dev; 1,507 others",
        "the share of questions without an answer: 100 steps taught the model to say so of all",
        version_2_with_negative=True,
        num_train_epochs=2.0,
        train_batch_size=48,
    ),
    "WNUT-17": tagging(
        "ner-wnut17/wnut17train.conll",
        "ner-wnut17/emerging.dev.conll",
        "3,394 sentences; dev: 1,009",
    ),
    "UNER": tagging(
        "{run}/train.iob2", "{run}/dev.iob2", "1,600 sentences of dev; 401 others", split_uner
    ),
    "CODAH": Row(
        program="run_multiple_choice",
        metric="accuracy",
        files={"train_file": "swag-codah/train.tsv", "dev_file": "swag-codah/dev.tsv"},
        flags={"learning_rate": 5e-5},
        num_seeds=3,
        data="1,665 questions of 4 choices; 556 others",
        expected="0.25 is chance",
    ),
}
