"""Evaluation: sums and counts over a data set, divided once at the end."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.objectives.mean import Mean
from bert_keras.training import logs, run_folder

RESULTS_NAME = "eval_results.txt"


def evaluate(
    evaluation_step: Callable[[Any], dict[str, Mean]],
    batches: Iterable,
    losses: Iterable[str],
    max_steps: int | None = None,
) -> dict[str, float]:
    """Returns dict of name -> mean over all examples of `batches`, whatever their batch size.

    Args:
        evaluation_step: function of a batch -> dict of name -> Mean.
        batches: iterable of batches.
        losses: the names of the means that are added to give `loss`.
        max_steps: how many batches are used; None for all.

    The batches are added in float64, so that the result does not depend on how many there are.

    Raises:
        InputError: a result is not finite.
    """
    totals, counts = {}, {}
    for features in itertools.islice(batches, max_steps):
        for name, mean in evaluation_step(features).items():
            totals[name] = totals.get(name, 0.0) + float(mean.total)
            counts[name] = counts.get(name, 0.0) + float(mean.count)
    means = {name: totals[name] / counts[name] if counts[name] else 0.0 for name in totals}
    results = {"loss": sum(means[name] for name in losses)} | means
    bad = [f"{name} is {value}" for name, value in results.items() if not math.isfinite(value)]
    if bad:
        raise InputError(
            f"The results of an evaluation must be finite, but {', '.join(bad)}: weights or "
            "records are damaged. Evaluate another checkpoint, or make the records anew."
        )
    return results


def write_results(folder: str, results: Mapping[str, float], step: int, title: str = "") -> None:
    """Writes `eval_results.txt` and a TensorBoard file, and prints the lines.

    Args:
        folder: that of the run.
        results: name -> value.
        step: the number of steps that the model was trained for.
        title: what the results are; by default those of the model after so many steps.

    Raises:
        InputError: a file cannot be written.
    """
    lines = result_lines(results)
    run_folder.write_text(folder, RESULTS_NAME, lines)
    logs.write_events(tf.io.gfile.join(folder, "eval"), step, results)
    print(f"{title or f'evaluated at step {step}'}:\n{lines}", end="", flush=True)


def result_lines(results: Mapping[str, float]) -> str:
    """Returns the original's lines of `eval_results.txt`: `key = value`, sorted by key."""
    return "".join(f"{key} = {_format(results[key])}\n" for key in sorted(results))


def _format(value):
    return str(value) if isinstance(value, int) else f"{value:.7g}"
