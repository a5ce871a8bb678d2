r"""Finds the best batch size, learning rate and number of epochs for a fine-tuning program.

First the flags of the sweep, then the program and its flags, of which the sweep sets some itself:

    python -m bert_keras.run_sweep --output_dir=mrpc_sweep \
        run_classifier --task_name=MRPC --data_dir=MRPC --init_checkpoint=uncased_L-12_H-768_A-12

tries the paper's grid: 18 cells. Every cell trains in a folder of its own; with --num_seeds of the
program it has several runs, and its score is their mean. The best by the official score of the
development set is kept in the output folder, with `sweep.md`, the table, and `sweep.json`; with
--do_predict it predicts. A sweep that was stopped goes on by the same command.

A cell leaves its model and one checkpoint on the disk, four times the size of the model.
"""

import dataclasses
import functools
import sys
from collections.abc import Sequence
from typing import Any

from bert_keras import flags, run_classifier, run_multiple_choice, run_squad, run_tagging
from bert_keras.errors import InputError
from bert_keras.fine_tuning.program import Program
from bert_keras.parsers import PARSERS

# Flag of the sweep -> the flag of a program that it gives values to.
AXES = {
    "train_batch_sizes": ("train_batch_size", int),
    "learning_rates": ("learning_rate", float),
    "nums_train_epochs": ("num_train_epochs", float),
}
OWN_FLAGS = ("output_dir", *(flag for flag, _ in AXES.values()))

PROGRAMS = {
    "run_classifier": run_classifier.PROGRAM,
    "run_multiple_choice": run_multiple_choice.PROGRAM,
    "run_squad": run_squad.PROGRAM,
    "run_tagging": run_tagging.PROGRAM,
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """The grid (paper, appendix A.3), and what is run on it."""

    output_dir: str = flags.required("Folder for the cells, the table and the best model.")
    train_batch_sizes: list[str] = flags.setting(("16", "32"), "Values of --train_batch_size.")
    learning_rates: list[str] = flags.setting(
        ("5e-5", "3e-5", "2e-5"), "Values of --learning_rate."
    )
    nums_train_epochs: list[str] = flags.setting(("2", "3", "4"), "Values of --num_train_epochs.")
    program: list[str] = flags.arguments(
        "PROGRAM --flag=value",
        f"One of {', '.join(PROGRAMS)}, and its flags but for {', '.join(OWN_FLAGS)}; "
        "--do_train and --do_eval need not be said.",
    )


def main(settings: Settings) -> int:
    """Returns the exit status, see `Program.run`."""
    program, of_program = parsed(settings)
    values = [numbers(settings, name) for name in AXES]
    return program.run(of_program, functools.partial(_run_cells, values))


def parsed(settings: Settings) -> tuple[Program, Any]:
    """The program that is named, and its settings.

    Raises:
        InputError: there is no such program, or its flags make no sense.
    """
    name, *words = settings.program or [""]
    if name not in PROGRAMS:
        raise InputError(
            f"After the flags of the sweep the program must stand, one of {', '.join(PROGRAMS)}. "
            f"Received: {name or 'none'}"
        )
    given = {word.lstrip("-").partition("=")[0] for word in words if word.startswith("-")}
    if taken := [flag for flag in OWN_FLAGS if flag in given]:
        raise InputError(
            f"The sweep sets --{taken[0]} of the program itself. Leave it out; values are given "
            f"before {name}, by {', '.join('--' + axis for axis in AXES)}."
        )
    program = PROGRAMS[name]
    of_program = flags.parse(program.settings_class, words)
    return program, dataclasses.replace(
        of_program, output_dir=settings.output_dir, do_train=True, do_eval=True
    )


def separated(words: Sequence[str]) -> list[str]:
    """Puts `--` before the program: what follows are no flags of the sweep.

    Args:
        words: a command line. All flags of the sweep have a value, after "=" or as the next word.
    """
    for place, word in enumerate(words):
        previous = words[place - 1] if place else ""
        is_value = previous.startswith("-") and "=" not in previous
        if not word.startswith("-") and not is_value:
            return [*words[:place], "--", *words[place:]]
    return list(words)


def numbers(settings: Settings, name: str) -> list[float]:
    """The values of an axis, each once; raises InputError if they are no numbers."""
    words, kind = getattr(settings, name), AXES[name][1]
    try:
        numbers = list(dict.fromkeys(map(PARSERS[kind]().parse, words)))
    except ValueError as error:
        raise InputError(f"--{name}: {error}. Received: {','.join(words)}") from error
    if not numbers:
        raise InputError(f"--{name} must hold a value at least. Received: none")
    return numbers


def _run_cells(values: list[list[float]], setup: Any, settings: Any) -> Any:
    from bert_keras.fine_tuning.sweep import Grid, run_sweep  # loads TensorFlow

    return run_sweep(Grid(*values), setup, settings)


if __name__ == "__main__":
    flags.run(main, Settings, run_squad.REPLACED_FLAGS, separated(sys.argv[1:]))
