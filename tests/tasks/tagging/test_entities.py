import itertools

import pytest

from bert_keras.tasks.tagging.entities import as_iobes, entity_spans


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


def test_bilou_is_iobes_by_another_name():
    pairs = zip("BILUO", "BIESO", strict=True)
    names = [(a + rest, b + rest) for (a, b), rest in itertools.product(pairs, ["-x", ""])]
    assert all(as_iobes(bilou) == iobes for bilou, iobes in names)
