"""What `run_squad` hands over, and what it tells of the files it reads."""

import dataclasses
import json

import numpy as np
import pytest

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.fine_tuning import question_answering
from bert_keras.fine_tuning.question_answering import read_assignment
from bert_keras.run_squad import Settings
from bert_keras.tasks.squad.predictions import predicted_answers
from tests.tasks.squad import reference
from tests.tasks.squad.reference import question, write

CONFIG = BertConfig(vocab_size=60)
SHIP = ("river ship", [question("a?", [("ship", 6)], "1"), question("b?", [("river", 0)], "2")])


def assignment(config=CONFIG, **flags):
    settings = Settings(**{"max_seq_length": 12, "max_query_length": 3} | flags)
    return read_assignment(settings, config, reference.small_tokenizer())


@pytest.fixture
def file(tmp_path):
    return lambda *paragraphs: write(tmp_path / "squad.json", *paragraphs)


def perfect(examples, *positions):
    """Logits that favor these positions of the examples, behind which there is padding."""
    rows = np.zeros([len(positions), 2, examples.lengths.max() + 3], np.float32)
    for row, ends in zip(rows, positions, strict=True):
        row[[0, 1], ends] = 9
    return {"start_logits": [*rows[:, 0]], "end_logits": [*rows[:, 1]]}


def test_training_alone_reads_one_file(file):
    found = assignment(do_train=True, train_file=file(SHIP))
    assert found.train.values["start_positions"].tolist() == [5, 4]
    assert (found.evaluations, found.predictions) == ({}, {})


def test_the_labels_of_a_classifier_are_forgotten(file):
    labels, problem_type = ("entailment", "neutral"), "single_label_classification"
    config = dataclasses.replace(CONFIG, labels=labels, problem_type=problem_type)
    found = assignment(config, do_train=True, train_file=file(SHIP))
    assert (found.config.labels, found.config.problem_type) == ((), "")


def test_evaluation_and_prediction_share_their_examples(file, capsys, monkeypatch):
    decoded = []
    monkeypatch.setattr(
        question_answering,
        "predicted_answers",
        lambda *given: decoded.append(given) or predicted_answers(*given),
    )
    found = assignment(do_eval=True, do_predict=True, predict_file=file(SHIP))
    examples, score = found.evaluations["dev"]
    assert found.predictions["dev"].examples is examples
    outputs = perfect(examples, (5, 5), (4, 5))
    assert score(outputs) == {"exact_match": 50, "f1": pytest.approx(100 * (1 + 2 / 3) / 2)}
    files = found.predictions["dev"].files(outputs)
    assert json.loads(files["predictions.json"]) == {"1": "ship", "2": "river ship"}
    assert "null_odds.json" not in files
    assert len(decoded) == 1
    assert "scores" not in capsys.readouterr().err
    assert score(perfect(examples, (5, 5), (4, 4)))["f1"] == 100  # of other outputs


def test_scores_are_said_with_the_predictions(file, capsys):
    found = assignment(do_predict=True, predict_file=file(SHIP))
    assert found.evaluations == {}
    prediction = found.predictions["dev"]
    prediction.files(perfect(prediction.examples, (5, 5), (4, 4)))
    assert ".json score exact_match 100.00, f1 100.00" in capsys.readouterr().err


def test_version_2(file):
    path = file(SHIP, ("a b", [question("c", [], "3", is_impossible=True)]))
    found = assignment(
        do_train=True,
        do_eval=True,
        train_file=path,
        predict_file=path,
        version_2_with_negative=True,
    )
    assert found.train.values["start_positions"].tolist() == [5, 4, 0]
    examples, score = found.evaluations["dev"]
    scores = score(perfect(examples, (5, 5), (4, 4), (0, 0)))
    assert (scores["exact"], scores["NoAns_f1"], scores["HasAns_f1"]) == (100, 100, 100)
    assert found.metric in scores


def test_a_file_of_impossible_questions_alone_is_scored_in_version_2(file):
    path = file(("a b", [question("c", [], "1", is_impossible=True)]))
    examples, score = assignment(
        do_eval=True, predict_file=path, version_2_with_negative=True
    ).evaluations["dev"]
    scores = score(perfect(examples, (0, 0)))
    assert (scores["exact"], scores["NoAns_f1"], scores["NoAns_total"]) == (100, 100, 1)
    assert score(perfect(examples, (4, 4)))["exact"] == 0
    with pytest.raises(InputError, match="official scores need answers"):
        assignment(do_eval=True, predict_file=path)


def test_early_stopping_needs_scores(file):
    path = file(SHIP)
    found = assignment(do_train=True, train_file=path, predict_file=path, early_stopping_epochs=1)
    assert {*found.evaluations} == {"dev"}


def test_what_is_left_out_is_said(file, capsys):
    answers = [("port", 0)], [("ship", 5)], [("the", 0), ("ship", 4)]
    questions = [question("x", given, str(number)) for number, given in enumerate(answers)]
    found = assignment(do_train=True, train_file=file(("the ship a", questions)))
    assert len(found.train.lengths) == 2
    said = capsys.readouterr().err
    assert (
        "1 of 3 questions are left out of training: answer text does not match the context at "
        "its offset, which counts characters, not bytes or UTF-16 units: 0\n" in said
    )
    assert "1 of 3 questions have their answer a few characters off its offset" in said
    assert "1 of 3 questions have several answers, of which the first is learned" in said


def test_many_are_counted_and_five_are_named(file, capsys):
    questions = [question("x", [("port", 0)], str(number)) for number in range(7)]
    assignment(do_train=True, train_file=file(SHIP, ("the ship", questions)))
    assert "7 of 9 questions are left out" in (said := capsys.readouterr().err)
    assert "units: 0, 1, 2, 3, 4, ...\n" in said


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"max_seq_length": 64, "max_query_length": 64}, "--max_seq_length must exceed"),
        ({"max_seq_length": 67, "max_query_length": 64}, "--max_seq_length must exceed"),
        ({"answer_text": "best"}, "--answer_text must be one of alignment, offsets"),
        ({"do_train": True}, "--train_file must be given"),
        ({"do_predict": True}, "--predict_file must be given"),
    ],
)
def test_flags_that_cannot_work(flags, message):  # google-research/bert#29
    with pytest.raises(InputError, match=message):
        assignment(**flags)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"do_train": True}, "each question to learn from needs an answer"),
        ({"do_eval": True}, "official scores need answers"),
        ({"do_eval": True, "version_2_with_negative": True}, "official scores need answers"),
    ],
)
def test_files_without_answers(file, flags, message):
    path = file(("the ship", [question(question_id="1")]))
    with pytest.raises(InputError, match=message):
        assignment(train_file=path, predict_file=path, **flags)


def test_predictions_need_no_answers(file, capsys):
    found = assignment(do_predict=True, predict_file=file(("the ship", [question("x")])))
    prediction = found.predictions["dev"]
    files = prediction.files(perfect(prediction.examples, (3, 4)))
    assert json.loads(files["predictions.json"]) == {"q": "the ship"}
    assert "score" not in capsys.readouterr().err


def test_nothing_that_a_window_shows(file):
    path = file(("the ship", [question("x", [("port", 0)])]))
    with pytest.raises(InputError, match="must hold a question whose answer a window shows"):
        assignment(do_train=True, train_file=path)


def test_contexts_without_a_word_have_empty_answers(file):
    found = assignment(do_predict=True, predict_file=file(("", [question("x")])))
    assert not len(found.predictions["dev"].examples.lengths)
    files = found.predictions["dev"].files({"start_logits": [], "end_logits": []})
    assert [*json.loads(files["predictions.json"]).values()] == [""]
