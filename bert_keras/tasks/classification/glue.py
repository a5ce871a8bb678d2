"""The tasks of GLUE (Wang et al. 2018, arXiv:1804.07461) and XNLI (arXiv:1809.05053), a row each.

Files are those of the GLUE download. Labels are in the order of the original's `get_labels`; of
tasks that it lacks, in that of the benchmark's description.
"""

from bert_keras.config import REGRESSION, SINGLE_LABEL
from bert_keras.errors import InputError
from bert_keras.tasks.classification.description import TaskDescription

_SENTENCE = ("sentence", "text")
_SENTENCE_1 = ("sentence1", "premise")
_SENTENCE_2 = ("sentence2", "hypothesis")
_NLI = ("contradiction", "entailment", "neutral")  # MnliProcessor and XnliProcessor
_ENTAILMENT = ("entailment", "not_entailment")
_BINARY = ("0", "1")

TASKS = {
    "CoLA": TaskDescription(
        text_a=("sentence", "4"),
        text_b=(),
        label=("label", "2"),
        labels=_BINARY,
        problem_type=SINGLE_LABEL,
        metrics=("matthews_correlation",),
        submission={"test": "CoLA.tsv"},
        without_header=("train", "dev"),
    ),
    "SST-2": TaskDescription(
        text_a=_SENTENCE,
        text_b=(),
        label=("label",),
        labels=_BINARY,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={"test": "SST-2.tsv"},
    ),
    "MRPC": TaskDescription(
        text_a=("#1 String", "sentence1"),
        text_b=("#2 String", "sentence2"),
        label=("Quality", "label"),
        labels=_BINARY,
        problem_type=SINGLE_LABEL,
        metrics=("f1", "accuracy"),
        submission={"test": "MRPC.tsv"},
    ),
    "STS-B": TaskDescription(
        text_a=_SENTENCE_1,
        text_b=_SENTENCE_2,
        label=("score", "label"),
        labels=(),
        problem_type=REGRESSION,
        metrics=("spearman", "pearson"),
        submission={"test": "STS-B.tsv"},
        range=(0, 5),
    ),
    "QQP": TaskDescription(
        text_a=("question1",),
        text_b=("question2",),
        label=("is_duplicate", "label"),
        labels=_BINARY,
        problem_type=SINGLE_LABEL,
        metrics=("f1", "accuracy"),
        submission={"test": "QQP.tsv"},
        has_broken_rows=True,  # nyu-mll/GLUE-baselines#5
    ),
    "MNLI": TaskDescription(
        text_a=_SENTENCE_1,
        text_b=_SENTENCE_2,
        label=("gold_label", "label"),
        labels=_NLI,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={"test_matched": "MNLI-m.tsv", "test_mismatched": "MNLI-mm.tsv"},
        dev=("dev_matched", "dev_mismatched"),
        test=("test_matched", "test_mismatched"),
    ),
    "QNLI": TaskDescription(
        text_a=("question",),
        text_b=_SENTENCE,
        label=("label",),
        labels=_ENTAILMENT,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={"test": "QNLI.tsv"},
    ),
    "RTE": TaskDescription(
        text_a=_SENTENCE_1,
        text_b=_SENTENCE_2,
        label=("label",),
        labels=_ENTAILMENT,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={"test": "RTE.tsv"},
    ),
    "WNLI": TaskDescription(
        text_a=_SENTENCE_1,
        text_b=_SENTENCE_2,
        label=("label",),
        labels=_BINARY,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={"test": "WNLI.tsv"},
    ),
    "AX": TaskDescription(  # GLUE's diagnostic set, for a model that learned MNLI
        text_a=("sentence1", "Premise"),  # "Premise": of diagnostic-full.tsv, with answers
        text_b=("sentence2", "Hypothesis"),
        label=("Label",),
        labels=_NLI,
        problem_type=SINGLE_LABEL,
        metrics=("matthews_correlation",),
        submission={"diagnostic": "AX.tsv"},
        train="",
        dev=(),
        test=("diagnostic",),
    ),
    "XNLI": TaskDescription(
        text_a=_SENTENCE_1,
        text_b=(*_SENTENCE_2, "hypo"),
        label=("gold_label", "label"),
        labels=_NLI,
        problem_type=SINGLE_LABEL,
        metrics=("accuracy",),
        submission={},
        train="multinli/multinli.train.{language}",
        dev=("xnli.dev",),
        test=("xnli.test",),
        language="language",
        other_names={"contradictory": "contradiction"},
    ),
}
SUBMISSION = tuple(
    name for description in TASKS.values() for name in description.submission.values()
)


def known_task(task_name: str) -> TaskDescription:
    """The row of a task; capitals and hyphens of its name do not matter.

    Raises:
        InputError: there is no such task.
    """
    known = {_plain(name): description for name, description in TASKS.items()}
    if _plain(task_name) not in known:
        raise InputError(
            f"--task_name must be one of {', '.join(TASKS)}; other data need none, but "
            f"--text_a_column. Received: {task_name!r}"
        )
    return known[_plain(task_name)]


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
