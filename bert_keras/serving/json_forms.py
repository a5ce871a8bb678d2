"""Inputs and answers of tasks as JSON. Loads no TensorFlow."""

from collections.abc import Mapping
from typing import Any

from bert_keras.errors import InputError

# The keys of an object -> what a task takes for it; the first whose keys are all there count.
_FORMS = (
    ("question", "context"),
    ("context", "choices"),
    ("text_a", "text_b"),
    ("text", "text_b"),  # as exports name them
    ("words",),
    ("text",),
)


def input_of(values: Any, place: str) -> Any:
    """What an object asks: of several keys their values as a tuple, else the value.

    Raises:
        InputError, which names the place: it is no object, or has other keys.
    """
    for form in _FORMS if isinstance(values, Mapping) else ():
        if all(name in values for name in form):
            found = tuple(values[name] for name in form)
            return found if len(form) > 1 else found[0]
    forms = "; ".join(" and ".join(form) for form in _FORMS)
    raise InputError(f"{place}: an object has the keys {forms}. Received: {values!r:.200}")


def plain(answer: Any) -> Any:
    """An answer, named tuples and arrays within named tuples, as JSON takes it."""
    if hasattr(answer, "_asdict"):
        return {name: plain(value) for name, value in answer._asdict().items()}
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    return answer.tolist() if hasattr(answer, "tolist") else answer
