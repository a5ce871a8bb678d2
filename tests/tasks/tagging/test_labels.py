import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.tagging.columns import Sentence
from bert_keras.tasks.tagging.labels import (
    are_of_entities,
    label_ids,
    label_of_no_piece,
    labels_of,
)


def sentence(tags, lines=None):
    tags = tags.split()
    return Sentence(["word"] * len(tags), tags, lines or list(range(1, len(tags) + 1)))


@pytest.mark.parametrize(
    ("tags", "labels"),
    [
        ("I-LOC B-PER I-PER B-LOC B-LOC O", "O B-LOC B-PER I-LOC I-PER"),
        ("VERB NOUN NOUN ADJ", "NOUN ADJ VERB"),
        ("VERB NOUN", "NOUN VERB"),
        ("O B-PER I-PER B-LOC", "O B-LOC B-PER I-LOC I-PER"),  # an entity may be longer elsewhere
        ("O B-PER B-LOC", "O B-LOC B-PER"),
        ("B A I", "A B I"),
    ],
)
def test_the_label_of_words_without_pieces_comes_first(tags, labels):
    found = labels_of([sentence(tags), sentence(tags)])
    assert found == tuple(labels.split())
    assert label_of_no_piece(found) == found[0]


def test_of_the_labels_of_another_program_o_is_that_of_words_without_pieces():
    assert label_of_no_piece(("B-LOC", "I-LOC", "O")) == "O"


def test_one_label_is_nothing_to_learn():
    with pytest.raises(InputError, match="only -. --tag_column"):
        labels_of([sentence("- - -")])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("O B-PER I-PER", True),
        ("O B-creative-work S-PER E-PER", True),
        ("O B-PER I-PER L-PER U-LOC", True),
        ("B I O", True),
        ("NOUN VERB", False),
        ("$ '' -LRB- IN O", False),
    ],
)
def test_entities_are_told_by_their_labels(labels, expected):
    assert are_of_entities(labels.split()) == expected


def test_ids_are_places_in_the_labels():
    ids = label_ids([sentence("O B"), sentence("I O")], ("O", "B", "I"), "dev.conll")
    np.testing.assert_array_equal(ids, np.array([0, 1, 2, 0], np.int32), strict=True)


def test_an_unknown_label_is_named_with_file_line_and_what_is_allowed():
    message = "one of the labels: O B-LOC. Received: 'maybe' in dev.conll, line 9. --labels_file"
    with pytest.raises(InputError, match=message):
        label_ids([sentence("O B-LOC"), sentence("O maybe", [7, 9])], ("O", "B-LOC"), "dev.conll")
