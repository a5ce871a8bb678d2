"""The labels of a tagger: their order, and their numbers for the words of a file."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from bert_keras.errors import InputError
from bert_keras.tasks.tagging.columns import Sentence

OUTSIDE = "O"
_ENTITY_LABEL = re.compile(r"O|[BIESLU](-.+)?")


def labels_of(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """The labels of a training set: the one for words without pieces first, then by name.

    That is O, or the most frequent where there is none. Where an entity begins it may go on, so
    that there is an I- for every B-, if the training set has both for any.

    Raises:
        InputError: there is only one.
    """
    counts = Counter(tag for sentence in sentences for tag in sentence.tags)
    if len(counts) < 2:
        raise InputError(
            f"A tagger learns to tell labels apart. Received: only {', '.join(counts)}. "
            "--tag_column says where the tags are."
        )
    names = sorted({*counts} | _inner_labels(counts))
    first = OUTSIDE if OUTSIDE in counts else max(names, key=counts.get)
    return (first, *(name for name in names if name != first))


def _inner_labels(tags: Collection[str]) -> set[str]:
    """The I- of every B-; nothing of tags that know only one of them, or are no entities'."""
    if not are_of_entities(tags) or not {"B", "I"} <= {tag[0] for tag in tags}:
        return set()
    return {f"I{tag[1:]}" for tag in tags if tag[0] == "B"}


def label_of_no_piece(labels: Sequence[str]) -> str:
    """What a word is labeled that the tokenizer leaves nothing of, such as U+200B."""
    return OUTSIDE if OUTSIDE in labels else labels[0]


def are_of_entities(labels: Collection[str]) -> bool:
    """Whether the labels are those of entities: O, B-, I-, and E-, S- or L-, U- of some schemes."""
    return all(map(_ENTITY_LABEL.fullmatch, labels))


def label_ids(sentences: Sequence[Sentence], labels: Sequence[str], path: str) -> np.ndarray:
    """The number of the tag of each word of a file, int32 [number of words].

    Raises:
        InputError: a tag is none of the labels.
    """
    id_of = {label: index for index, label in enumerate(labels)}
    ids = []
    for sentence in sentences:
        for tag, line in zip(sentence.tags, sentence.lines, strict=True):
            if tag not in id_of:
                raise InputError(
                    f"A tag must be one of the labels: {' '.join(labels)}. Received: {tag!r} in "
                    f"{path}, line {line}. --labels_file names all of them before the training."
                )
            ids.append(id_of[tag])
    return np.array(ids, np.int32)
