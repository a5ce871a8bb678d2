"""Entities by the labels of words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from bert_keras.tasks.tagging.entities import EntitySpan, entity_bounds, entity_spans

SCHEMES = {
    "IOB": ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"],
    "IOB without types": ["B", "I", "O"],
    "IOBES": ["E-A", "O", "S-A", "B-A", "I-A", "I-B-C", "E-B-C", "S"],
    "BILOU": ["B-A", "I-A", "L-A", "U-A", "B-B", "I-B", "L-B", "U-B", "O"],
    "no O": ["B-A", "I-A", "I-B"],
}


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("O B-a I-a O", [("a", 1, 2)]),
        ("B-a B-a I-b", [("a", 0, 0), ("a", 1, 1), ("b", 2, 2)]),
        ("I-a I-a", [("a", 0, 1)]),  # what continues nothing begins
        ("S-a B-b I-b E-b", [("a", 0, 0), ("b", 1, 3)]),
        ("U-a B-b I-b L-b", [("a", 0, 0), ("b", 1, 3)]),
        ("B I O", [("_", 0, 1)]),  # one kind of entity needs no name
        ("", []),
    ],
)
def test_entities(labels, spans):
    assert entity_spans(labels.split()) == spans


def spans_by_bounds(labels, ids):
    """The entities of a sentence, from the tables alone."""
    bounds = entity_bounds(labels)
    padded = np.array([len(labels), *ids, len(labels)])
    firsts = np.flatnonzero(bounds.starts[padded[:-1], padded[1:]])
    lasts = np.flatnonzero(bounds.ends[padded[:-1], padded[1:]]) - 1
    return [
        EntitySpan(bounds.types[ids[first]], first, last)
        for first, last in zip(firsts, lasts, strict=True)
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_the_bounds_of_neighbors_give_the_entities_of_a_sentence(scheme, data):
    labels = SCHEMES[scheme]
    ids = data.draw(st.lists(st.integers(0, len(labels) - 1), max_size=12))
    assert spans_by_bounds(labels, ids) == entity_spans([labels[index] for index in ids])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_bounds_of_every_pair_are_those_of_seqeval(scheme):
    labels = SCHEMES[scheme]
    for a in range(len(labels)):
        for b in range(len(labels)):
            found = spans_by_bounds(labels, [a, b])
            assert found == entity_spans([labels[a], labels[b]])


def test_labels_of_bilou_are_those_of_iobes():
    labels = ["B-A", "L-A", "U-B", "O", "I-A"]
    assert entity_spans(labels) == get_entities(["B-A", "E-A", "S-B", "O", "I-A"])


def test_parts_of_speech_are_no_entities():
    starts, ends, types = entity_bounds(["NOUN", "VERB"])
    assert starts.shape == ends.shape == (3, 3)
    assert not starts.any()
    assert not ends.any()
    assert types == ["", ""]
