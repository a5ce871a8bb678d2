"""The best of a grid of batch sizes, learning rates and epochs, by the development set.

So the paper chose for every task of GLUE (section 4.1, appendix A.3).
"""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.files import write_text
from bert_keras.fine_tuning import comparison, job, markdown
from bert_keras.fine_tuning.seeds import run_seeds
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results, Setup
from bert_keras.notices import notify
from bert_keras.training import evaluation, preflight

SWEEP_NAME = "sweep.json"
TABLE_NAME = "sweep.md"


class Grid(NamedTuple):
    """The values of each flag; a cell has one of each."""

    train_batch_size: Sequence[int]
    learning_rate: Sequence[float]
    num_train_epochs: Sequence[float]

    def cells(self) -> list[dict[str, float]]:
        """Flag -> value, for every combination."""
        return [dict(zip(self._fields, values, strict=True)) for values in itertools.product(*self)]


def run_sweep(grid: Grid, setup: Setup, settings: FineTuningSettings) -> Results | None:
    """Trains and evaluates every cell in a folder of its own, and keeps the model of the best.

    Args:
        grid: the cells.
        setup: what the runs share.
        settings: those of all runs, of which each cell replaces three.

    Returns:
        The results of the best cell; None if it was stopped.

    Raises:
        InputError: nothing would be compared, or a cell cannot work; none is begun then.
    """
    made_by = comparison.origin(settings, setup.assignment, ("random_seed", *Grid._fields))
    comparison.check_flags(settings)
    comparison.check_folder(settings, SWEEP_NAME, made_by)
    cells = grid.cells()
    runs = [comparison.one_of_several(settings, _folder_name(cell), **cell) for cell in cells]
    for run in runs:
        job.check_settings(run)
        preflight.check_batch_size(
            run.train_batch_size,
            setup.strategy.num_replicas_in_sync,
            run.gradient_accumulation_steps,
        )
    notify(f"{len(cells)} cells, {settings.num_seeds} run{'s' * (settings.num_seeds > 1)} in each")
    with comparison.own_folder(settings, setup):
        found = _compare(cells, runs, setup, settings, made_by)
    comparison.predict(found, settings, setup)
    return found


def _compare(cells, runs, setup, settings, made_by):
    """Makes the runs, and keeps the best and what all gave."""
    results = comparison.results_of(runs, functools.partial(run_seeds, setup), setup, "cell")
    if results is None:
        return None
    order = comparison.ranked(results, setup.assignment.metric)
    best = order[0]
    if setup.is_chief:
        found = [{"cell": cells[place], "results": results[place]} for place in order]
        content = {"metric": setup.assignment.metric, "cells": found, "made_by": made_by}
        write_json(tf.io.gfile.join(settings.output_dir, SWEEP_NAME), content)
        _show(settings.output_dir, cells, results, order, setup.assignment.metric)
    values = ", ".join(f"{name}={value:g}" for name, value in cells[best].items())
    reason = f"the best of {len(cells)} cells, {values}"
    comparison.keep_model(runs[best], settings, setup, reason)
    return results[best]


def _folder_name(cell: dict[str, float]) -> str:
    batch_size, rate, epochs = cell.values()
    return f"batch_{batch_size}_rate_{rate!r}_epochs_{epochs:g}"


def _show(
    folder: str, cells: list[dict], results: Sequence[Results], order: list[int], metric: str
) -> None:
    """Writes `sweep.md` and `eval_results.txt`, and prints the table, best first."""
    metrics = sorted(comparison.metrics_of(results), key=lambda name: not name.startswith(metric))
    rows = [cells[place] | {name: results[place][name] for name in metrics} for place in order]
    table = markdown.table(rows)
    print(table, end="", flush=True)
    write_text(tf.io.gfile.join(folder, TABLE_NAME), table)
    best = results[order[0]]
    evaluation.write_results(folder, best, best.get("global_step", 0), "the best cell")
