"""The same fine-tuning with several seeds: mean, standard deviation, and the best model.

On small sets the seed alone moves a score by points (paper, section 4.1: "fine-tuning was sometimes
unstable on small data sets, so we ran several random restarts and selected the best").
"""

import math
import statistics
from collections.abc import Sequence

import tensorflow as tf

from bert_keras import flags
from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.fine_tuning import comparison, markdown
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results, Setup
from bert_keras.training import evaluation, run_folder

SEEDS_NAME = "seeds.json"
SD = "_sd"  # ends the name of a standard deviation


def run_seeds(setup: Setup, settings: FineTuningSettings) -> Results | None:
    """Makes as many runs as `num_seeds` says, each in the folder `seed_N` of the output folder.

    Args:
        setup: what the runs share.
        settings: those of all runs.

    Returns:
        Metric -> its mean, `METRIC_sd` -> its standard deviation over the seeds, and the step of
        the best; with one seed the results of that run. None if it was stopped.

    Raises:
        InputError: nothing would be compared, or a run cannot work.
    """
    if settings.num_seeds == 1:
        return setup.run(settings, setup.start)
    comparison.check_compared(settings, SEEDS_NAME)
    if setup.is_chief:
        run_folder.make(settings.output_dir)
    seeds = range(settings.random_seed, settings.random_seed + settings.num_seeds)
    runs = [
        comparison.one_of_several(settings, f"seed_{seed}", random_seed=seed, num_seeds=1)
        for seed in seeds
    ]
    flags.check_numbers(runs[-1])  # the last seed is the largest
    results = comparison.results_of(runs, lambda run: setup.run(run, setup.start), setup)
    if results is None:
        return None
    best = comparison.ranked(results, setup.task.metric)[0]
    found = summary(results) | {"global_step": results[best]["global_step"]}
    if setup.is_chief:
        _write(settings.output_dir, dict(zip(seeds, results, strict=True)), seeds[best], found)
    reason = f"The best of {settings.num_seeds} seeds: {seeds[best]}."
    comparison.keep_model(runs[best], settings, setup, reason)
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


def _write(folder: str, results: dict[int, Results], best: int, found: Results) -> None:
    """Writes `seeds.json` and `eval_results.txt`, and prints the table."""
    content = {"best_seed": best, "seeds": results, "mean_and_sd": found}
    write_json(tf.io.gfile.join(folder, SEEDS_NAME), content)
    metrics = comparison.metrics_of(list(results.values()))
    rows = [{"seed": seed} | {name: one[name] for name in metrics} for seed, one in results.items()]
    rows.append({"seed": "mean"} | {name: found[name] for name in metrics})
    rows.append({"seed": "sd"} | {name: found[name + SD] for name in metrics})
    print(markdown.table(rows), end="", flush=True)
    evaluation.write_results(folder, found)
