"""The same fine-tuning with several seeds: mean, standard deviation, and the best model.

On small sets the seed alone moves a score by points (paper, section 4.1: "fine-tuning was sometimes
unstable on small data sets, so we ran several random restarts and selected the best").
"""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from bert_keras import flags
from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.fine_tuning import comparison, markdown
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results, Setup
from bert_keras.training import evaluation

SEEDS_NAME = "seeds.json"
SD = "_sd"  # ends the name of a standard deviation


def run_seeds(setup: Setup, settings: FineTuningSettings) -> Results | None:
    """Makes as many runs as `num_seeds` says, each in the folder `seed_N` of the output folder.

    Args:
        setup: what the runs share.
        settings: those of all runs.

    Returns:
        Metric -> its mean, `METRIC_sd` -> its standard deviation over the seeds; with one seed the
        results of that run. None if it was stopped.

    Raises:
        InputError: a model that others made would be lost, or a run cannot work.
    """
    if settings.num_seeds == 1:
        return setup.run(settings, setup.start)
    made_by = comparison.origin(settings, setup.assignment, ("random_seed",))
    comparison.check_folder(settings, SEEDS_NAME, made_by)
    with comparison.own_folder(settings, setup):
        found = _compare(setup, settings, made_by)
    comparison.predict(found, settings, setup)
    return found


def _compare(setup, settings, made_by):
    """Makes the runs, and keeps the best and what all gave."""
    seeds = range(settings.random_seed, settings.random_seed + settings.num_seeds)
    runs = [
        comparison.one_of_several(settings, f"seed_{seed}", random_seed=seed, num_seeds=1)
        for seed in seeds
    ]
    flags.check_numbers(runs[-1])  # the last seed is the largest
    results = comparison.results_of(runs, lambda run: setup.run(run, setup.start), setup, "seed")
    if results is None:
        return None
    best = comparison.ranked(results, setup.assignment.metric)[0]
    found = summary(results)
    if setup.is_chief:
        by_seed = dict(zip(seeds, results, strict=True))
        _write(settings.output_dir, by_seed, seeds[best], found, made_by)
    comparison.keep_model(
        runs[best], settings, setup, f"the best of {settings.num_seeds} seeds, {seeds[best]}"
    )
    return found


def summary(results: Sequence[Results]) -> Results:
    """Mean and standard deviation (that of a sample: divided by n - 1) of what all runs have."""
    found = {}
    for name in comparison.metrics_of(results):
        values = [one[name] for one in results]
        found[name] = statistics.fmean(values)
        is_finite = all(map(math.isfinite, values))
        found[name + SD] = statistics.stdev(values) if is_finite else math.nan
    return found


def _write(
    folder: str, results: dict[int, Results], best: int, found: Results, made_by: dict[str, Any]
) -> None:
    """Writes `seeds.json` and `eval_results.txt`, and prints the table."""
    content = {"best_seed": best, "seeds": results, "mean_and_sd": found, "made_by": made_by}
    write_json(tf.io.gfile.join(folder, SEEDS_NAME), content)
    metrics = comparison.metrics_of(list(results.values()))
    rows = [{"seed": seed} | {name: one[name] for name in metrics} for seed, one in results.items()]
    rows.append({"seed": "mean"} | {name: found[name] for name in metrics})
    rows.append({"seed": "sd"} | {name: found[name + SD] for name in metrics})
    print(markdown.table(rows), end="", flush=True)
    title = f"mean and standard deviation of {len(results)} seeds"
    evaluation.write_results(folder, found, results[best]["global_step"], title)
