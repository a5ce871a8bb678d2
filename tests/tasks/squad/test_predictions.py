"""Answers and the files of them."""

import json

import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.squad.features import prediction_features
from bert_keras.tasks.squad.packing import WindowSizes
from bert_keras.tasks.squad.predictions import (
    NULL_ODDS_WITHOUT_SPAN,
    AnswerSettings,
    predicted_answers,
    prediction_files,
    without_padding,
)
from bert_keras.tasks.squad.reading import read_squad
from tests.tasks.squad import reference
from tests.tasks.squad.reference import contents, question, write

V1 = AnswerSettings(20, 30, False, 0.0, "alignment")
V2 = V1._replace(version_2_with_negative=True)
LENGTH = 8  # [CLS] the port [SEP] the ship [SEP], and a position of padding


@pytest.fixture
def answer(tmp_path):
    """Settings and logits by position -> the answer to one question about `the ship`."""
    path = write(tmp_path / "f.json", ("the ship", [question("the port")]))
    file, tokenizer = read_squad(path), reference.small_tokenizer()
    features = prediction_features(*contents(file), tokenizer, WindowSizes(12, 4, 2))

    def answer(settings, starts, ends):
        outputs = {"start_logits": [logits(starts)], "end_logits": [logits(ends)]}
        return predicted_answers(features, outputs, settings)[0]

    return answer


def logits(by_position):
    row = np.zeros(LENGTH, np.float32)
    for position, value in by_position.items():
        row[position] = value
    return row


@pytest.mark.parametrize("version", reference.VERSIONS)
def test_files_are_those_of_the_original(version):
    file, tokenizer = reference.golden_file(version), reference.tokenizer()
    features = prediction_features(*contents(file), tokenizer, reference.golden_sizes(version))
    settings = reference.golden_answer_settings(version)
    outputs = reference.golden_logits(version)
    answers = predicted_answers(features, outputs, settings)

    written = prediction_files(file, answers, settings.version_2_with_negative)
    assert written.pop("nbest_predictions.json") == reference.unpacked(
        version, "nbest_predictions.json.gz"
    )
    names = ["predictions.json", "null_odds.json"][: 1 + settings.version_2_with_negative]
    folder = reference.GOLDEN / "squad" / version
    assert written == {name: (folder / name).read_text() for name in names}


@pytest.mark.parametrize("settings", [V1._replace(n_best_size=2), V2._replace(n_best_size=2)])
def test_no_span_in_the_context(answer, settings):  # google-research/bert#476
    found = answer(settings, {1: 9, 2: 8}, {1: 9, 2: 8})
    assert (found.text, found.null_odds) == ("", NULL_ODDS_WITHOUT_SPAN)
    assert [(candidate.text, candidate.probability) for candidate in found.n_best] == [("", 1)]


def test_only_a_greater_null_score_is_no_answer(answer):
    ends, starts = {5: 3, 0: 2}, {4: 3, 0: 4}
    assert answer(V2, starts, ends)[:2] == ("the ship", 0)
    assert answer(V2, starts | {0: 4.5}, ends)[:2] == ("", 0.5)
    lenient = V2._replace(null_score_diff_threshold=0.5)
    assert answer(lenient, starts | {0: 4.5}, ends).text == "the ship"
    strict = V2._replace(null_score_diff_threshold=-0.5)
    assert answer(strict, starts, ends).text == ""


def test_version_1_always_answers(answer):
    assert answer(V1, {0: 9, 4: 3}, {0: 9, 5: 3}).text == "the ship"


def test_one_best_may_be_that_there_is_no_answer(answer):
    found = answer(V2._replace(n_best_size=1), {4: 3, 0: 2}, {5: 3, 0: 2})
    assert (found.text, found.n_best[0].text) == ("the ship", "the ship")
    found = answer(V2._replace(n_best_size=1, null_score_diff_threshold=9), {4: 9, 0: 1}, {5: 9})
    assert found.text == "the ship"


def test_answers_are_no_longer_than_allowed(answer):
    found = answer(V1._replace(max_answer_length=1), {4: 3}, {5: 3})
    assert [candidate.text for candidate in found.n_best] == ["the", "ship"]


def test_padding_takes_no_place_among_the_best(answer, tmp_path):
    path = write(tmp_path / "f.json", ("the ship", [question("the port")]))
    file, tokenizer = read_squad(path), reference.small_tokenizer()
    features = prediction_features(*contents(file), tokenizer, WindowSizes(12, 4, 2))
    outputs = {"start_logits": [logits({7: 9, 4: 3})], "end_logits": [logits({7: 9, 5: 3})]}
    cut = without_padding(outputs, features)
    settings = V1._replace(n_best_size=1)
    assert predicted_answers(features, outputs, settings)[0].text == ""
    assert predicted_answers(features, cut, settings)[0].text == "the ship"


@pytest.mark.parametrize("drop", [lambda rows: rows[:-2], lambda rows: [None, *rows[1:-1], None]])
def test_missing_windows_are_counted(tmp_path, drop):  # google-research/bert#1028
    path = write(tmp_path / "f.json", (" ".join(["a"] * 38), [question("the")]))
    file, tokenizer = read_squad(path), reference.small_tokenizer()
    features = prediction_features(*contents(file), tokenizer, WindowSizes(24, 2, 2))
    assert len(features.windows) == 10
    rows = drop([np.zeros(24, np.float32)] * 10)
    outputs = {"start_logits": rows, "end_logits": rows}
    with pytest.raises(InputError, match="2 of 10 windows are missing"):
        predicted_answers(features, outputs, V1)
    with pytest.raises(InputError, match="2 of 10 windows are missing"):
        without_padding(outputs, features)


def test_every_question_has_a_row(tmp_path):
    """Also those about a context without pieces, which has no window."""
    paragraphs = ("", [question(question_id="1")]), ("the ship", [question(question_id="2")])
    file = read_squad(write(tmp_path / "f.json", *paragraphs))
    features = prediction_features(
        *contents(file), reference.small_tokenizer(), WindowSizes(12, 4, 2)
    )
    outputs = {"start_logits": [logits({4: 1})], "end_logits": [logits({4: 1})]}
    answers = predicted_answers(features, outputs, V2)
    files = prediction_files(file, answers, version_2=True)
    assert json.loads(files["predictions.json"]) == {"1": "", "2": "the"}
    assert json.loads(files["null_odds.json"])["1"] == NULL_ODDS_WITHOUT_SPAN
