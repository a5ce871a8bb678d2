"""What `run_classifier` learns: a label, a set of labels or a number for a text or a pair."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bert_keras.config import MULTI_LABEL, REGRESSION, SINGLE_LABEL, BertConfig
from bert_keras.errors import InputError
from bert_keras.fine_tuning.assignment import Assignment, Evaluation, Prediction
from bert_keras.fine_tuning.classification_data import described
from bert_keras.fine_tuning.encoding import encode_set
from bert_keras.fine_tuning.glue_submission import add_to_zip
from bert_keras.models.classifier import classifier
from bert_keras.notices import notify
from bert_keras.objectives import classification, multi_label, regression
from bert_keras.objectives.loss import Loss
from bert_keras.tasks.classification.answers import Answers
from bert_keras.tasks.classification.description import TaskDescription, find_files
from bert_keras.tasks.classification.kinds import ANSWERS
from bert_keras.tasks.classification.labels import check_names, model_labels
from bert_keras.tasks.classification.predictions import submission, table
from bert_keras.tasks.classification.reading import Example, read_examples
from bert_keras.tasks.classification.task import Classification
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight
from bert_keras.training.step import Objective


class Problem(NamedTuple):
    """How a kind of answers is learned."""

    objective: Objective
    losses: Mapping[str, Loss]
    accuracies: Sequence[str]


_NEEDED_BY = {  # a set of examples -> the flags that ask for it
    "train": "--do_train",
    "dev": "--do_eval, --early_stopping_epochs and run_sweep",
    "test": "--do_predict",
}
PROBLEMS = {
    SINGLE_LABEL: Problem(
        classification.classification, classification.LOSSES, classification.ACCURACIES
    ),
    MULTI_LABEL: Problem(multi_label.multi_label, multi_label.LOSSES, multi_label.ACCURACIES),
    REGRESSION: Problem(regression.regression, regression.LOSSES, regression.ACCURACIES),
}


def read_assignment(settings: Any, config: BertConfig, tokenizer: WordPieceTokenizer) -> Assignment:
    """Reads the files of `run_classifier.Settings`.

    Raises:
        InputError: a file is missing or damaged, or its answers are not those of the model.
    """
    description = described(settings, config)
    if not settings.do_train:
        _check_same_problem(description.problem_type, config.problem_type)
    problem, answers = PROBLEMS[description.problem_type], ANSWERS[description.problem_type]
    files = Files(settings, description, answers, tokenizer)
    # All are found before the first is read: that may take long.
    train_path = files.train_path() if settings.do_train else ""
    dev_paths = files.dev_paths() if settings.needs_evaluation else {}
    test_paths = files.test_paths() if settings.do_predict else {}
    train = files.read_train(train_path) if train_path else []
    labels, names = _labels(settings, description, config, train)
    train_examples = files.encode(train, names, "train") if train else None
    evaluations = {name: files.evaluation(name, path, names) for name, path in dev_paths.items()}
    predictions = {
        name: files.prediction(name, path, labels, names) for name, path in test_paths.items()
    }
    return Assignment(
        task=files.task,
        config=dataclasses.replace(config, labels=labels, problem_type=description.problem_type),
        build=classifier,
        objective=problem.objective,
        losses=problem.losses,
        accuracies=problem.accuracies,
        train=train_examples,
        evaluations=evaluations,
        predictions=predictions,
        metric=_score_name(next(iter(evaluations), ""), description.metrics[0]),
    )


class Files(NamedTuple):
    """The files of a data set, and how they are read."""

    settings: Any
    description: TaskDescription
    answers: Answers
    tokenizer: WordPieceTokenizer

    def train_path(self) -> str:
        """The training set; raises InputError if the task has none."""
        if not self.description.train:
            raise InputError(
                f"{self.settings.task_name} has no training set; it is for a model that has "
                "learned MNLI: --init_checkpoint. Received: --do_train"
            )
        train = self.description.train.format(language=self.settings.language)
        [path] = self._paths(self.settings.train_file, "train", (train,)).values()
        return path

    def dev_paths(self) -> dict[str, str]:
        """The sets with answers to compare with, name -> file."""
        return self._paths(self.settings.dev_file, "dev", self.description.dev)

    def test_paths(self) -> dict[str, str]:
        """The sets without answers, name -> file."""
        paths = self._paths(self.settings.test_file, "test", self.description.test)
        submission_files = self.description.submission
        if self.settings.glue_submission and submission_files.keys().isdisjoint(paths):
            raise InputError(
                f"A submission has predictions of {' and '.join(submission_files)}, by name. "
                f"Received: --glue_submission with --test_file={self.settings.test_file}, which "
                "may be any of them. --data_dir names the folder of all."
            )
        return paths

    def read_train(self, path: str) -> list[Example]:
        """The training set; says what answers it has."""
        is_broken = self.description.has_broken_rows
        train = self._read("train", path, self.answers.read, skip_broken=is_broken)
        notify(f"train: {len(train)} examples, {self.answers.describe(train)}")
        return train

    def encode(self, examples: Sequence[Example], names: Sequence[str], what: str):
        """Texts and answers of a set."""
        values = self.answers.encode(examples, names)
        return self._encode(examples, what)._replace(values=values)

    def evaluation(self, name: str, path: str, names: Sequence[str]) -> Evaluation:
        """A set with answers; `names` are the labels in the model's order."""
        examples = self._read(name, path, self.answers.read)

        def score(outputs):
            scores = self.answers.score(_logits(outputs), examples, names, self.description.metrics)
            return {_score_name(name, metric): value for metric, value in scores.items()}

        return Evaluation(self.encode(examples, names, name), score)

    def prediction(
        self, name: str, path: str, labels: Sequence[str], names: Sequence[str]
    ) -> Prediction:
        """A set without answers; `names` are what GLUE calls the `labels` of the model."""
        examples = self._read(name, path, read_answer=None)
        ids = [example.id for example in examples]
        submission_name = self.description.submission.get(name)

        def files(outputs):
            logits = _logits(outputs)
            found = {f"{name}_results.tsv": table(ids, logits, labels, self.answers)}
            if submission_name:
                predicted = self.answers.predict(logits.clip(*self.description.range), names)
                found[submission_name] = submission(ids, predicted)
            return found

        def submit(found):
            if self.settings.glue_submission:
                add_to_zip(self.settings.glue_submission, submission_name, found[submission_name])

        return Prediction(self._encode(examples, name), files, submit)

    @property
    def task(self) -> Classification:
        """How texts become examples."""
        return Classification(self.settings.max_seq_length, is_pair=bool(self.description.text_b))

    def _encode(self, examples, what):
        texts = [example.texts for example in examples]
        return encode_set(self.task, texts, self.tokenizer, what).examples

    def _paths(self, given, name, names):
        """Name of a set -> its file: the given one, or those of the folder."""
        if given:
            preflight.check_there(self.settings, (f"{name}_file",))
            return {names[0] if len(names) == 1 else name: given}
        if not names:
            raise InputError(
                f"{self.settings.task_name} has no set with answers; --{name}_file may name one."
            )
        if not self.settings.data_dir:
            raise InputError(
                f"--{name}_file must be given, or --data_dir with {' and '.join(names)} in it, for "
                f"{_NEEDED_BY[name]}. Received: neither"
            )
        return find_files(self.settings.data_dir, names)

    def _read(self, name, path, read_answer, skip_broken=False):
        layout = self.description.layout(self.settings.language)
        header = name not in self.description.without_header
        return read_examples(path, layout, read_answer, header, skip_broken)


def _check_same_problem(wanted: str, stored: str) -> None:
    """Raises InputError for answers of another kind than those of a model as it is."""
    if stored and wanted != stored:
        raise InputError(
            f"A model that is not trained gives the answers that it was made for: {stored}, as its "
            f"config.json says. Received: data with {wanted}. Leave out --problem_type, train with "
            "--do_train, or correct `problem_type` in that file if it is wrong."
        )


def _labels(
    settings: Any, description: TaskDescription, config: BertConfig, train: Sequence[Example]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of the model, and what the data call them, in the same order."""
    answers = ANSWERS[description.problem_type]
    given = tuple(label.strip() for label in settings.labels)
    names = given or description.labels or answers.names(train) or config.labels
    check_names(names)
    if not answers.fewest_labels <= len(names) <= answers.most_labels:
        raise InputError(
            f"{description.problem_type} needs {answers.fewest_labels} labels at least, and at "
            f"most {answers.most_labels}. Received: {len(names)} ({', '.join(names):.200}). "
            "--labels names them; for numbers or sets of labels there is --problem_type."
        )
    return model_labels(names, config.labels, settings.do_train, is_given=bool(given))


def _logits(outputs) -> np.ndarray:
    return np.stack(outputs["logits"])  # [N, L]


def _score_name(name: str, metric: str) -> str:
    """Of several sets the scores need different names: `dev_matched` -> matched_accuracy."""
    part = name.partition("_")[2]
    return f"{part}_{metric}" if part else metric
