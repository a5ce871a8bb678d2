"""Entities among labeled words, as `seqeval` and CoNLL's conlleval count them."""

from collections.abc import Sequence
from typing import NamedTuple

_IOBES_OF_BILOU = {"L": "E", "U": "S"}  # last, unit: end, single


class EntitySpan(NamedTuple):
    """The words from `first` to `last` are an entity of a type, "_" if the labels name none."""

    type: str
    first: int
    last: int


def entity_spans(labels: Sequence[str]) -> list[EntitySpan]:
    """The entities of a sentence by the labels of its words: O, B-, I-, and those of IOBES, BILOU.

    An I- that continues nothing begins an entity.
    """
    from seqeval.metrics.sequence_labeling import get_entities

    return [EntitySpan(*found) for found in get_entities([*map(as_iobes, labels)])]


def as_iobes(label: str) -> str:
    """A label of BILOU, which is the same scheme by its other name, as one of IOBES."""
    return _IOBES_OF_BILOU.get(label[:1], label[:1]) + label[1:]
