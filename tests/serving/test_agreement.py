import json
from typing import NamedTuple

import numpy as np
import pytest

from bert_keras.config import MULTI_LABEL, REGRESSION, BertConfig
from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.serving.agreement import agreement_check, compare

CONFIG = BertConfig(vocab_size=9, labels=("no", "yes"))
EXAMPLES = EncodedExamples.of_sequences([np.full(length, 5, np.int32) for length in (2, 4)])


class Labeled(NamedTuple):
    """Two examples, whose score is the share of what is said of them."""

    examples: EncodedExamples = EXAMPLES
    score: object = None


def compared(task, before, after, config=CONFIG, examples=EXAMPLES, scores=(0.5, 0.5)):
    """`before` and `after` are outputs, `scores` what they get."""
    of = {id(before): scores[0], id(after): scores[1]}
    labeled = Labeled(examples, lambda outputs: {"accuracy": of[id(outputs)]})

    def running(outputs):
        return lambda examples, batch_size, advance: outputs

    sets = {"dev": labeled}
    return compare(task, config, sets, "accuracy", running(before), running(after))


def rows(*rows):
    return [np.array(row, np.float32) for row in rows]


def test_labels_and_numbers_of_a_classifier_are_compared():
    before = {"logits": rows([0, 1], [1, 0])}
    found = compared("classification", before, {"logits": rows([0, 3], [1, 1.5])})
    [one] = found.sets.values()
    assert (one.num_examples, one.num_answers, one.answers_equal) == (2, 2, 0.5)
    assert one.largest_difference == {"logits": 2.0}


def test_of_several_labels_each_is_an_answer():
    config = BertConfig(vocab_size=9, labels=("a", "b"), problem_type=MULTI_LABEL)
    before = {"logits": rows([-1, 1], [1, 2])}
    [one] = compared(
        "classification", before, {"logits": rows([-1, -1], [1, 2])}, config
    ).sets.values()
    assert (one.num_answers, one.answers_equal) == (4, 0.75)


def test_a_set_of_a_single_label_is_no_number():
    config = BertConfig(vocab_size=9, labels=("toxic",), problem_type=MULTI_LABEL)
    before, after = {"logits": rows([1], [-1])}, {"logits": rows([1], [1])}
    [one] = compared("classification", before, after, config).sets.values()
    assert (one.num_answers, one.answers_equal) == (2, 0.5)


def test_of_numbers_only_the_difference_counts():
    config = BertConfig(vocab_size=9, labels=("score",), problem_type=REGRESSION)
    [one] = compared(
        "classification", {"logits": rows([1], [2])}, {"logits": rows([1], [2.5])}, config
    ).sets.values()
    assert (one.num_answers, one.answers_equal) == (0, 1.0)
    assert one.largest_difference == {"logits": 0.5}


def test_padding_has_no_label():
    before = {"logits": rows([[1, 0], [1, 0], [9, 0], [9, 0]], [[0, 1]] * 4)}
    after = {"logits": rows([[1, 0], [0, 1], [0, 9], [0, 9]], [[0, 1]] * 4)}
    [one] = compared("tagging", before, after).sets.values()
    assert (one.num_answers, one.answers_equal) == (6, 5 / 6)
    assert one.largest_difference == {"logits": 1.0}


def test_outputs_may_be_padded_to_other_lengths():
    before = {"logits": rows([[1, 0]] * 2, [[0, 1]] * 4)}
    after = {"logits": rows([[1, 0]] * 16, [[0, 1]] * 16)}
    [one] = compared("tagging", before, after).sets.values()
    assert (one.answers_equal, one.largest_difference) == (1.0, {"logits": 0.0})


def test_of_an_answer_in_a_text_both_ends_count():
    before = {"start_logits": rows([1, 0], [1, 0, 0, 0]), "end_logits": rows([0, 1], [0, 1, 0, 0])}
    after = {"start_logits": rows([1, 0], [0, 1, 0, 0]), "end_logits": rows([0, 1], [0, 1, 0, 0])}
    [one] = compared("question_answering", before, after).sets.values()
    assert (one.num_answers, one.answers_equal) == (4, 0.75)


def test_a_choice_that_is_missing_is_never_chosen():
    tokens = {name: [np.array([[1], [1], [0]], np.int32)] for name in EXAMPLES.tokens}
    examples = EncodedExamples(tokens, {})
    before, after = {"logits": rows([0, 1, 9])}, {"logits": rows([0, 1, 0.5])}
    [one] = compared("multiple_choice", before, after, examples=examples).sets.values()
    assert (one.num_answers, one.answers_equal) == (1, 1.0)


def test_a_score_that_falls_too_far_is_an_error_in_points_of_a_hundred():
    before, after = {"logits": rows([0, 1], [1, 0])}, {"logits": rows([0, 1], [0, 1])}
    found = compared("classification", before, after, scores=(0.95, 0.93))
    assert found.drop == pytest.approx(2)
    found.check(2.1)
    message = r"accuracy must not fall by more than --max_drop=1 points .*: 2; .*\"dev\": 0.5"
    with pytest.raises(InputError, match=message):
        found.check(1)


def test_the_scores_of_squad_are_points_already():
    spans = {"start_logits": rows([1], [1]), "end_logits": rows([1], [1])}
    found = compared("question_answering", spans, dict(spans), scores=(80, 79.5))
    assert found.drop == pytest.approx(0.5)


def test_a_better_score_is_no_drop():
    logits = {"logits": rows([0, 1], [1, 0])}
    compared("classification", logits, dict(logits), scores=(0.5, 0.9)).check(0)


def test_numbers_that_are_none_are_no_agreement():
    before, after = {"logits": rows([0, 1], [1, 0])}, {"logits": rows([np.nan, 1], [1, 0])}
    found = compared("classification", before, after, scores=(0.5, np.nan))
    assert np.isnan(found.sets["dev"].largest_difference["logits"])
    with pytest.raises(InputError, match="Received: nan"):
        found.check(100)


def test_without_answers_nothing_can_be_compared():
    with pytest.raises(InputError, match="is compared on data with answers, .*Received: fill_mask"):
        compared("fill_mask", {}, {"": []})
    with pytest.raises(InputError, match="Received: tagging with 0 sets"):
        compare("tagging", CONFIG, {}, "f1", None, None)


def test_a_check_writes_what_it_found_unless_it_refuses(tmp_path):
    logits = {"logits": rows([0, 1], [1, 0])}
    found = compared("classification", logits, dict(logits), scores=(0.5, 0.48))
    loaded = []

    def load(folder):
        loaded.append(folder)
        return "runs it"

    def measure(run):
        assert run == "runs it"
        return found

    with pytest.raises(InputError, match="must not fall by more"):
        agreement_check(load, measure)(str(tmp_path))
    assert not [*tmp_path.iterdir()]
    agreement_check(load, measure, max_drop=3)(str(tmp_path))
    assert loaded == [str(tmp_path)] * 2
    content = json.loads((tmp_path / "agreement.json").read_text())
    assert content["drop"] == pytest.approx(2)
    assert content["sets"]["dev"]["after"] == {"accuracy": 0.48}
