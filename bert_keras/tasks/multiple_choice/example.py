"""A context and its possible continuations."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from bert_keras.errors import InputError


class Example(NamedTuple):
    """C continuations of one text.

    Attributes:
        id: what its row of predictions is called; "" for its place in the set.
        context: sentence A of every sequence.
        continuations: sentence B of each of the C sequences.
        label: which of them is right, from 0; None where that is not known.
    """

    id: str
    context: str
    continuations: tuple[str, ...]
    label: int | None

    @property
    def texts(self) -> tuple[str, tuple[str, ...]]:
        """What is asked: the context and its continuations."""
        return self.context, self.continuations


def check_text(place: str, name: str, text: Any) -> str:
    """The text; raises InputError, which names the place, if it is none or blank."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(
            f"{place}: {name} must be a text that is not blank. Received: {_shown(text)}."
        )
    return text


def check_endings(place: str, endings: Any) -> list[str]:
    """The endings; raises InputError, which names the place, if they are no list of texts."""
    if not isinstance(endings, list) or len(endings) < 2:
        raise InputError(
            f"{place}: there must be at least two endings to choose from. "
            f"Received: {_shown(endings)}."
        )
    return [check_text(place, f"ending {index}", text) for index, text in enumerate(endings)]


def label_index(place: str, label: Any, allowed: Sequence[str]) -> int:
    """Which of the allowed labels it is, a number of JSON or a text; raises InputError if none."""
    if str(label) not in allowed:
        raise InputError(
            f"{place}: the label must be one of {', '.join(allowed)}. Received: {_shown(label)}."
        )
    return allowed.index(str(label))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:200]
