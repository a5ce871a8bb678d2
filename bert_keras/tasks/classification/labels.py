"""What labels may be, and whose order holds: that of the data or that of the model.

Models of MNLI come in two orders (huggingface/transformers#12822): what is compared are names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tasks.classification.reading import fits_cell

MOST_SHOWN = 20


def check_names(names: Sequence[str]) -> None:
    """Raises InputError for a label that is there twice, or that no table can hold."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"Labels must differ from each other. Received: {name!r} twice.")
        if not name or not fits_cell(name):
            raise InputError(
                "A label must not be empty and has neither tabs nor line ends: tables of "
                f"predictions could not hold it. Received: {name!r:.100}. --labels may give others."
            )


def counted(labels: Iterable[str]) -> str:
    """How often each label occurs, the most frequent first: `'good': 3, 'bad': 2`."""
    counts = Counter(labels)
    shown = [f"{label!r}: {count}" for label, count in counts.most_common(MOST_SHOWN)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def model_labels(
    names: Sequence[str], stored: Sequence[str], is_trained: bool, is_given: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the labels of the model, and what the data call each of them, in the same order.

    A model that has the same ones keeps their order, and may write them with other capitals. One
    that has others gets new labels if it is trained. If not, its outputs are taken in the order
    of `names`, if these were given by the user or its own say nothing (LABEL_0, LABEL_1), which
    are then replaced.

    Args:
        names: what the data call the labels.
        stored: those of the model's files; () if they have none.
        is_trained: whether new outputs can be learned.
        is_given: whether the user has named the labels.

    Raises:
        InputError: outputs of the model cannot be told to be labels of the data.
    """
    names, stored = tuple(names), tuple(stored)
    if set(names) == set(stored):
        return stored, stored
    name_of = {name.casefold(): name for name in names}
    keys = [label.casefold() for label in stored]
    if len(name_of) == len(names) == len(stored) and set(name_of) == set(keys):
        return stored, tuple(name_of[key] for key in keys)
    if len(names) == len(stored) == 1:  # a number, whatever it is called
        return stored, names
    if is_trained or not stored:
        return names, names
    is_nameless = all(re.fullmatch(r"LABEL_\d+", label) for label in stored)
    if len(stored) != len(names) or not (is_given or is_nameless):
        raise InputError(
            f"The model must have the labels of the data, {', '.join(names)}. Received: one with "
            f"{', '.join(stored)}. If these mean the same, name them in the order of the model: "
            "--labels=…; or train it with --do_train."
        )
    pairs = ", ".join(f"{a} = {b}" for a, b in zip(stored, names, strict=True))
    notify(f"the outputs of the model are taken for the labels in this order: {pairs}")
    return (names if is_nameless else stored), names
