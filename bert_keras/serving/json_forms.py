"""Inputs and answers of tasks as JSON. Loads no TensorFlow."""

from collections.abc import Mapping
from typing import Any

from bert_keras.errors import InputError

_TEXT_OR_PAIR = (("text_a", "text_b"), ("text", "text_b"), ("text",))  # exports say `text`
# Name of a task -> the keys of an object that asks it; the first that are all there count.
FORMS = {
    "classification": _TEXT_OR_PAIR,
    "tagging": (("words",), ("text",)),
    "question_answering": (("question", "context"),),
    "multiple_choice": (("context", "choices"),),
    "fill_mask": (("text",),),
    "embedding": _TEXT_OR_PAIR,
    "features": _TEXT_OR_PAIR,
}


def input_of(values: Any, task: str, place: str) -> Any:
    """What an object asks a task: of several keys their values as a tuple, else the value.

    Raises:
        InputError, which names the place: it is no object, or has other keys.
    """
    for form in FORMS[task] if isinstance(values, Mapping) else ():
        if all(name in values for name in form):
            found = tuple(values[name] for name in form)
            return found if len(form) > 1 else found[0]
    forms = ", or ".join(" and ".join(form) for form in FORMS[task])
    raise InputError(
        f"{place}: for {task} an object has the keys {forms}. Received: {values!r:.200}"
    )


def plain(answer: Any) -> Any:
    """An answer, named tuples and arrays within named tuples, as JSON takes it."""
    if hasattr(answer, "_asdict"):
        return {name: plain(value) for name, value in answer._asdict().items()}
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    return answer.tolist() if hasattr(answer, "tolist") else answer
