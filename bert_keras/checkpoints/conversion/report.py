"""What became of the weights of a conversion, for the reader on a terminal and for a file."""

from collections.abc import Iterable
from typing import NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.checkpoints.formats.native import REPORT_FILE
from bert_keras.checkpoints.names import is_state
from bert_keras.errors import InputError

LARGEST_DIFFERENCE = 1e-5  # the same weights in the same code give 0
_MOST_SHOWN = 20  # names on a terminal; the file has all


class ConversionReport(NamedTuple):
    """What became of the names, and of the outputs.

    `used` and `unused` are names in the input, by whether their values are in the output; `missing`
    are names in the output for which the input has no value; `fresh` those of them that were given
    random ones, which is all of them, as any other is an error. `differences` has the largest
    absolute difference of each output of the two models, None for one that the format cannot hold.
    """

    used: list[str]
    unused: list[str]
    missing: list[str]
    fresh: list[str]
    differences: dict[str, float | None]

    def keep(self, folder: str) -> None:
        """Writes all of it beside the weights."""
        write_json(tf.io.gfile.join(folder, REPORT_FILE), self._asdict())

    def show(self, folder: str) -> None:
        """Prints how many were used, the names of the others, and the differences."""
        print(f"{_counted(self.used)} used; all names are in {folder}/{REPORT_FILE}")
        for kind in ("unused", "missing", "fresh"):
            names = getattr(self, kind)
            weights = [name for name in names if not is_state(name)]
            print(f"{_counted(names)} {kind}{': ' if weights else ''}{listed(weights)}")
        for name, value in self.differences.items():
            held = "not held" if value is None else f"{value:g}"
            print(f"largest difference of {name}: {held}")
        print(f"The model is in {folder.rstrip('/')}/")

    def check_differences(self) -> None:
        """Raises InputError if the two models do not compute the same."""
        wrong = {
            name: value
            for name, value in self.differences.items()
            if value is not None and not value <= LARGEST_DIFFERENCE
        }
        if wrong:
            raise InputError(
                "The written model must compute what the one that was read does, within "
                f"{LARGEST_DIFFERENCE}. Received: {wrong}"
            )


def check_nothing_is_lost(names: Iterable[str]) -> None:
    """Raises InputError if one of the names that find no place is that of a weight."""
    weights = sorted(name for name in names if not is_state(name))
    if weights:
        raise InputError(
            "With --strict all weights must find a place in the output. "
            f"Received: {len(weights)} without one: {listed(weights)}"
        )


def listed(names: list[str]) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + more


def _counted(names: list[str]) -> str:
    """`206 weights and 413 of a run's moments, step and seeds`."""
    num_state = sum(map(is_state, names))
    of_run = f" and {num_state} of a run's moments, step and seeds" if num_state else ""
    return f"{len(names) - num_state} weights{of_run}"
