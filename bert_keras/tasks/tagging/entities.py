"""Entities among labeled words, as `seqeval` and CoNLL's conlleval count them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.tasks.tagging.labels import OUTSIDE, are_of_entities

_IOBES_OF_BILOU = {"L": "E", "U": "S"}  # last, unit: end, single


class EntitySpan(NamedTuple):
    """The words from `first` to `last` are an entity of a type, "_" if the labels name none."""

    type: str
    first: int
    last: int


class EntityBounds(NamedTuple):
    """Where entities start and end, by the labels of two neighbors; the last is that of no word.

    Attributes:
        starts: whether one starts between them, bool [L + 1, L + 1]: labels before, labels after.
        ends: whether one ends between them, bool [L + 1, L + 1].
        types: of the entities whose words have each label, [L]; "" where it is of none.
    """

    starts: np.ndarray
    ends: np.ndarray
    types: list[str]


def entity_spans(labels: Sequence[str]) -> list[EntitySpan]:
    """The entities of a sentence by the labels of its words: O, B-, I-, and those of IOBES, BILOU.

    An I- that continues nothing begins an entity.
    """
    from seqeval.metrics.sequence_labeling import get_entities

    return [EntitySpan(*found) for found in get_entities([*map(as_iobes, labels)])]


def entity_bounds(labels: Sequence[str]) -> EntityBounds:
    """`entity_spans` as tables over all pairs of L labels, for those who have only their numbers.

    As many entities end in a sentence as start, in the same order. Labels that are not those of
    entities have none.
    """
    from seqeval.metrics.sequence_labeling import end_of_chunk, start_of_chunk

    if not are_of_entities(labels):
        nowhere = np.zeros([len(labels) + 1] * 2, bool)
        return EntityBounds(nowhere, nowhere, [""] * len(labels))
    types = [span.type for label in labels for span in entity_spans([label]) or [_NO_ENTITY]]
    tags = [as_iobes(label)[0] for label in labels]
    words = [*zip(tags, types, strict=True), (OUTSIDE, _NO_ENTITY.type)]

    def table(is_bound) -> np.ndarray:
        return np.array(
            [
                [is_bound(tag, next_tag, kind, next_kind) for next_tag, next_kind in words]
                for tag, kind in words
            ]
        )

    return EntityBounds(table(start_of_chunk), table(end_of_chunk), types)


def as_iobes(label: str) -> str:
    """A label of BILOU, which is the same scheme by its other name, as one of IOBES."""
    return _IOBES_OF_BILOU.get(label[:1], label[:1]) + label[1:]


_NO_ENTITY = EntitySpan("", 0, 0)
