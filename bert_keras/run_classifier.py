r"""Fine-tunes BERT to classify texts or pairs of texts, evaluates it, and predicts.

The flags are those of run_classifier.py in google-research/bert. It knows the tasks of GLUE, by the
files of its download, and XNLI:

    python -m bert_keras.run_classifier --task_name=MRPC --data_dir=glue/MRPC --do_train --do_eval \
        --do_predict --init_checkpoint=uncased_L-12_H-768_A-12 --output_dir=my_mrpc

and any CSV, TSV or JSON lines, whose columns you name:

    python -m bert_keras.run_classifier --train_file=train.csv --dev_file=dev.csv \
        --text_a_column=text --label_column=topic --do_train --do_eval --output_dir=my_topics \
        --init_checkpoint=uncased_L-12_H-768_A-12

In a .csv, quotation marks hold commas and line ends; in a .tsv they are text, as in GLUE's files.
Every row is an example, also one with an empty text, which in a file of one column is a blank line;
one that cannot be read ends the program, and is named. Classes are compared by name: a model may
have them in another order than the data.

Results of an evaluation are in eval_results.txt, by the official names of the scores: `accuracy` is
the original's `eval_accuracy`; its `eval_loss` is left out, as no task is scored by it. Predictions
are in test_results.tsv: a header, then of each row the id, the probability of every label, the
prediction. A file to predict needs no labels. Of GLUE's tasks there is also the file that its
server takes, such as MRPC.tsv.

A run that was stopped or killed is continued by the same command, with the same result as if it
had not been. SIGTERM saves and exits with status 0, Ctrl-C saves and exits with 130.
"""

import dataclasses

from bert_keras import flags
from bert_keras.fine_tuning.program import Program
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.training.devices import REPLACED_FLAGS


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(FineTuningSettings):
    """The flags of the program: what is read, and what it means."""

    task_name: str | None = flags.setting(
        None,
        "CoLA, SST-2, MRPC, STS-B, QQP, MNLI, QNLI, RTE, WNLI or AX of GLUE, or XNLI. Other data "
        "need none, but --text_a_column.",
    )
    data_dir: str | None = flags.setting(
        None,
        "Folder of the files: of GLUE's download, or train, dev and test as .tsv, .csv or .jsonl.",
    )
    train_file: str | None = flags.setting(
        None,
        "The training set, instead of that of --data_dir, in its layout: that of CoLA has no "
        "header.",
    )
    dev_file: str | None = flags.setting(None, "The set to evaluate on, likewise.")
    test_file: str | None = flags.setting(None, "The set to predict, likewise.")
    text_a_column: str | None = flags.setting(None, "The column of the text.")
    text_b_column: str | None = flags.setting(
        None, "The column of the second text, if texts come in pairs."
    )
    label_column: list[str] = flags.setting(
        (),
        "The column of the label, by default `label`; several: a text has those labels whose "
        "column holds a 1.",
    )
    id_column: str | None = flags.setting(
        None, "The column that names a row in the predictions; by default rows count from 0."
    )
    header: bool = flags.setting(
        True, "Whether the first line names the columns; --noheader calls them 1, 2, ..."
    )
    problem_type: str | None = flags.setting(
        None,
        "`single_label_classification`; `multi_label_classification`: a text has any number of "
        "labels, with commas between them; `regression`: a number. By default the first, or what "
        "a model that is not trained was made for.",
    )
    labels: list[str] = flags.setting(
        (),
        "The labels, in the order of the model's outputs. By default those of the task, of the "
        "model, or of the training set, sorted.",
    )
    language: str = flags.setting("zh", "The language of XNLI; zh is the original's.")
    glue_submission: str | None = flags.setting(
        None,
        "A zip that the predictions of a task of GLUE are put into, beside those of other tasks.",
    )


PROGRAM = Program(Settings, "classification")


def main(settings: Settings) -> int:
    """Returns the exit status, see `Program.run`."""
    return PROGRAM.run(settings)


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
