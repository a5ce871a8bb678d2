import dataclasses

import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning.tagging import read_assignment
from bert_keras.run_tagging import Settings
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.checkpoints import stored_models

CONFIG = dataclasses.replace(stored_models.CONFIG, labels=())
TOKENIZER = WordPieceTokenizer(stored_models.vocabulary())
LABELS = ("O", "B-X", "I-X")
TRAIN = "a\tO\nb\tB-X\n\nbad\tI-X\nc\tO\n"
DEV = "c\tO\n\u200b\tO\nb\tB-X\na\tI-X\n\na\tO\n"


@pytest.fixture
def settings(tmp_path):
    """A function of files, name -> text, and of flags -> settings that name them."""

    def write(do="do_train", files=None, **changes):
        files = {"train_file": TRAIN} if files is None else files
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        paths = {name: str(tmp_path / name) for name in files}
        return Settings(**{do: True}, **paths, output_dir=str(tmp_path), **changes)

    return write


def assignment(settings, **config):
    return read_assignment(settings, dataclasses.replace(CONFIG, **config), TOKENIZER)


def logits(examples, tags):
    """A row of logits for each window; `tags` are the labels of its positions, [CLS] first."""
    assert len(examples.lengths) == len(tags)
    return {"logits": [np.eye(3)[[LABELS.index(tag) for tag in row.split()]] for row in tags]}


def test_the_labels_are_those_of_the_training_file(settings):
    found = assignment(settings())
    assert found.config.labels == LABELS
    assert found.metric == "f1"
    assert found.train.tokens["label_ids"][1].tolist() == [0, 2, 0, 0, 0, 0]  # bad: b ##a ##d
    assert (found.evaluations, found.predictions) == ({}, {})


def test_other_labels_are_scored_by_accuracy(settings):
    found = assignment(settings(files={"train_file": "a\tNOUN\nb\tNOUN\nc\tADJ\n"}))
    assert (found.metric, found.config.labels) == ("accuracy", ("NOUN", "ADJ"))


@pytest.mark.parametrize(
    ("stored", "labels"),
    [
        (("I-X", "B-X", "O"), ("I-X", "B-X", "O")),
        (("O", "B-X", "I-X", "B-Y"), ("O", "B-X", "I-X", "B-Y")),
        (("no", "yes"), LABELS),
        (("O", "B-X"), LABELS),
    ],
)
def test_a_tagger_that_knows_all_labels_keeps_its_own(settings, stored, labels):
    assert assignment(settings(), labels=stored).config.labels == labels


def test_what_the_outputs_of_a_classifier_mean_is_forgotten(settings):
    found = assignment(settings(), labels=("no", "yes"), problem_type="multi_label_classification")
    assert (found.config.labels, found.config.problem_type) == (LABELS, "")


def test_a_file_may_name_the_labels(settings):
    files = {"train_file": TRAIN, "labels_file": "O\nB-X\nB-,\nI-X\n\n"}
    assert assignment(settings(files=files)).config.labels == ("O", "B-X", "B-,", "I-X")


def test_only_what_is_asked_for_is_read(settings):
    files = {"train_file": "no tags\n", "dev_file": "none\n", "test_file": "c\n"}
    found = assignment(settings("do_predict", files), labels=LABELS)
    assert (found.train, found.evaluations, [*found.predictions]) == (None, {}, ["test"])


def test_a_set_to_stop_early_by_is_read_without_evaluation(settings):
    files = {"train_file": TRAIN, "dev_file": DEV}
    assert [*assignment(settings(files=files, early_stopping_epochs=1)).evaluations] == ["dev"]
    with pytest.raises(InputError, match="--dev_file must be given"):
        assignment(settings(early_stopping_epochs=1))


def test_every_word_of_the_file_is_scored(settings):
    found = assignment(settings("do_eval", {"dev_file": DEV}), labels=LABELS)
    examples, score = found.evaluations["dev"]
    perfect = ["O O B-X I-X O O", "O O O"]
    assert score(logits(examples, perfect))["f1"] == 1
    scores = score(logits(examples, ["O O O O O", "O I-X O"]))
    assert scores["accuracy"] == 2 / 5  # the word without a piece is an O
    assert (scores["precision"], scores["recall"], scores["f1"]) == (0, 0, 0)


def test_predictions_have_a_row_for_each_word(settings):
    words = "# id = 1\nc\n\u200b\nb\na\n\na\n"
    found = assignment(settings("do_predict", {"test_file": words}), labels=LABELS)
    prediction = found.predictions["test"]
    files = prediction.files(logits(prediction.examples, ["O O B-X I-X O O O", "O O O"]))
    assert files["test_predictions.conll"] == "c\tO\n\u200b\tO\nb\tB-X\na\tI-X\n\na\tO\n\n"


def test_an_answer_that_cannot_be_predicted_is_refused(settings):
    files = {"dev_file": "a\tO\nb\tmaybe\n"}
    with pytest.raises(InputError, match="O B-X I-X. Received: 'maybe' in .*dev_file, line 2"):
        assignment(settings("do_eval", files), labels=LABELS)


@pytest.mark.parametrize(
    ("do", "files", "message"),
    [
        ("do_train", {}, "--train_file must be given"),
        ("do_eval", {}, "--dev_file must be given"),
        ("do_predict", {}, "--test_file must be given"),
        ("do_eval", {"dev_file": DEV}, "must be a tagger, with labels"),
        (
            "do_train",
            {"train_file": TRAIN, "labels_file": "O\nB-X\n"},
            "labels: O B-X. Received: 'I-X' in .*train_file, line 4",
        ),
    ],
)
def test_what_cannot_be_learned_or_scored_is_refused(settings, do, files, message):
    with pytest.raises(InputError, match=message):
        assignment(settings(do, files))
