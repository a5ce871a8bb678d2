import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.tasks.tagging.scores import accuracy, entity_scores, scores


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def rows(*texts):
    return [text.split() for text in texts]


GOLD = rows("O B-PER I-PER O B-LOC", "B-LOC O")


def test_perfect_predictions_score_1():
    assert set(entity_scores(GOLD, GOLD).values()) == {1.0}
    assert entity_scores(GOLD, GOLD).keys() == {
        *("precision", "recall", "f1"),
        *("LOC_precision", "LOC_recall", "LOC_f1"),
        *("PER_precision", "PER_recall", "PER_f1"),
    }


def test_entities_are_right_as_a_whole():
    """By hand: of 3 entities 2 are found, with 2 others: the cut one, and one of another type."""
    predicted = rows("O B-PER O B-PER B-LOC", "B-LOC O")
    found = entity_scores(GOLD, predicted)
    assert [found[name] for name in ("precision", "recall")] == pytest.approx([2 / 4, 2 / 3])
    assert found["f1"] == pytest.approx(2 * (1 / 2 * 2 / 3) / (1 / 2 + 2 / 3))
    assert (found["PER_f1"], found["LOC_f1"]) == (0, 1)


def test_where_nothing_is_found_scores_are_0_without_a_warning():
    found = entity_scores(GOLD, rows("O O O O O", "O O"))
    assert set(found.values()) == {0.0}
    assert set(entity_scores(rows("O O"), rows("O O")).items()) == {
        ("precision", 0.0),
        ("recall", 0.0),
        ("f1", 0.0),
    }


@pytest.mark.parametrize(
    ("gold", "predicted", "f1"),
    [
        ("O B-LOC I-LOC", "O I-LOC I-LOC", 1),  # an I- that continues nothing begins
        ("B-PER B-LOC I-LOC", "B-PER I-LOC I-LOC", 1),  # and one of another type does
        ("B-LOC B-LOC", "B-LOC I-LOC", 0),
    ],
)
def test_impossible_sequences_count_as_in_conlleval(gold, predicted, f1):
    assert entity_scores(rows(gold), rows(predicted))["f1"] == f1


def bilou_and_iob2(spans):
    """Spans of an entity's type (or O) and a length, as labels of both schemes."""
    bilou, iob2 = [], []
    for name, length in spans:
        inside = length - 1
        first_to_last = ["U"] if length == 1 else ["B", *["I"] * (length - 2), "L"]
        bilou += ["O"] if name == "O" else [f"{mark}-{name}" for mark in first_to_last]
        iob2 += ["O"] if name == "O" else [f"B-{name}", *[f"I-{name}"] * inside]
    return bilou, iob2


SPANS = st.lists(
    st.tuples(st.sampled_from(["PER", "LOC"]), st.integers(1, 3)) | st.just(("O", 1)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=50)
@given(SPANS, SPANS)
def test_the_scheme_makes_no_difference_to_entities(gold, predicted):
    (gold_bilou, gold_iob2), (bilou, iob2) = bilou_and_iob2(gold), bilou_and_iob2(predicted)
    length = max(len(gold_iob2), len(iob2))
    padded = [row + ["O"] * (length - len(row)) for row in (gold_bilou, bilou, gold_iob2, iob2)]
    assert entity_scores([padded[0]], [padded[1]]) == entity_scores([padded[2]], [padded[3]])


def test_labels_of_bilou_are_scored_as_entities():
    gold = rows("B-PER I-PER L-PER O U-LOC")
    labels = ("O", "B-PER", "I-PER", "L-PER", "U-LOC")
    found = scores(gold, rows("B-PER L-PER O O U-LOC"), labels)
    assert (found["PER_f1"], found["LOC_f1"], found["f1"]) == (0, 1, 0.5)


def test_accuracy_is_of_words_not_of_sentences():
    assert accuracy(rows("A B C", "A"), rows("A B B", "A")) == 3 / 4


def test_labels_of_no_entities_are_scored_by_accuracy_alone():
    words = rows("NOUN VERB")
    assert scores(words, words, ("NOUN", "VERB")) == {"accuracy": 1.0}
    assert scores(GOLD, GOLD, ("O", "B-LOC", "B-PER", "I-PER")).keys() > {"accuracy", "f1"}


def test_a_model_that_says_one_label_only_is_noticed(capsys):
    scores(GOLD, rows("O O O O O", "O O"), ("O", "B-LOC", "B-PER", "I-PER"))
    assert "all 7 predictions are 'O', the answers are not" in capsys.readouterr().err
    scores(GOLD, GOLD, ("O", "B-LOC", "B-PER", "I-PER"))
    scores(rows("O O"), rows("O O"), ("O", "B-LOC"))
    assert capsys.readouterr().err == ""
