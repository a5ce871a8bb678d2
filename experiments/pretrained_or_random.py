r"""The point of the paper at our scale: the same encoder, pretrained and not, learns three tasks.

Claim    BERT-Mini, pretrained for 40 minutes on 14 MB of text by `pretrain_mini`, scores higher on
         SST-2, STS-B and QQP than from random weights: same data, steps, rate and seeds. It holds
         on STS-B, the smallest set: 0.417 against 0.187. On SST-2 (0.807 against 0.813) and QQP
         (0.599 against 0.591) the starts differ by about a standard deviation.
Cost     About an hour of one core after the pre-training, 2 GB of memory.
Command  python -m experiments.pretrained_or_random --pretrained_dir=pretrain_mini \
             --data_dir=data/glue --output_dir=pretrained_or_random
Found    experiments/results/pretrained_or_random.json and .png.

`--pretrained_dir` is the output folder of `python -m experiments.pretrain_mini`, or of any run of
`run_pretraining` with a vocabulary. A comparison that was stopped goes on by the same command.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import matplotlib

from bert_keras import flags, run_classifier
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.files import read_text, write_text
from experiments import machine

matplotlib.use("agg")  # files only: no window is opened, none is needed
from matplotlib import pyplot  # noqa: E402

RESULT_FILE = Path(__file__).parent / "results" / "pretrained_or_random.json"
NUM_SEEDS = 3
STARTS = ("random", "pretrained")
# Task of GLUE -> its official score, and its flags: QQP has a slice only, see fine_tuning_rows.py.
TASKS = {
    "SST-2": ("accuracy", {"num_train_epochs": 1.0}),
    "STS-B": ("spearman", {}),
    "QQP": ("f1", {"train_file": "train_slice.tsv", "dev_file": "dev_slice.tsv"}),
}
# Turc et al. 2019 (arXiv:1908.08962) fine-tune small models at 3e-4 to 3e-5.
RATE = 1e-4


@dataclasses.dataclass(frozen=True)
class Settings:
    pretrained_dir: str = flags.required("Folder of a finished pre-training with its vocabulary.")
    data_dir: str = flags.required("Folder with SST-2, STS-B and QQP of GLUE.")
    output_dir: str = flags.required("Folder for the runs.")
    result_file: str = flags.setting(str(RESULT_FILE), "The result; its picture goes beside it.")
    num_train_epochs: float = flags.setting(
        0.0, "Epochs of every run, for a rehearsal; 0: those of the table.", minimum=0
    )


def run_settings(settings: Settings, task: str, start: str) -> run_classifier.Settings:
    """A task from one of the starts: they differ in the weights alone."""
    changes = dict(TASKS[task][1])
    folder = f"{settings.data_dir}/{task}"
    for name in {"train_file", "dev_file"} & set(changes):
        changes[name] = f"{folder}/{changes[name]}"
    if settings.num_train_epochs:
        changes["num_train_epochs"] = settings.num_train_epochs
    return run_classifier.Settings(
        task_name=task,
        data_dir=folder,
        output_dir=f"{settings.output_dir}/{task}_{start}",
        bert_config_file=f"{settings.pretrained_dir}/config.json",
        vocab_file=f"{settings.pretrained_dir}/vocab.txt",
        init_checkpoint=settings.pretrained_dir if start == "pretrained" else None,
        do_train=True,
        do_eval=True,
        learning_rate=RATE,
        num_seeds=NUM_SEEDS,
        save_checkpoints_steps=500,
        **changes,
    )


def scores(settings: Settings, task: str, start: str, stop: Any) -> dict[str, Any] | None:
    """Mean, standard deviation and the score of each seed; None if it was stopped."""
    from bert_keras.fine_tuning import job
    from bert_keras.fine_tuning.classification import read_assignment

    metric = TASKS[task][0]
    of_run = run_settings(settings, task, start)
    found = job.run(of_run, read_assignment, stop)
    if found is None:
        return None
    seeds = json.loads(read_text(f"{of_run.output_dir}/seeds.json"))["seeds"]
    return {
        "mean": found[metric],
        "sd": found[f"{metric}_sd"],
        "seeds": {seed: one[metric] for seed, one in seeds.items()},
    }


def compare(settings: Settings, stop: Any) -> dict[str, Any] | None:
    """Task -> its metric and the scores from each start; None if it was stopped."""
    found = {}
    for task, (metric, _) in TASKS.items():
        found[task] = {"metric": metric}
        for start in STARTS:
            found[task][start] = scores(settings, task, start, stop)
            if found[task][start] is None:
                return None
    return found


def draw(tasks: dict[str, Any], picture: Path) -> None:
    """Draws a point for every seed and a line at the mean, task by task."""
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for place, task in enumerate(tasks.values()):
        for start, side, color in zip(STARTS, (-0.15, 0.15), ("tab:gray", "tab:blue"), strict=True):
            values = list(task[start]["seeds"].values())
            label = start if place == 0 else None
            axes.plot([place + side] * len(values), values, "o", color=color, label=label)
            mean = task[start]["mean"]
            axes.hlines(mean, place + side - 0.1, place + side + 0.1, color=color)
            axes.annotate(f"{mean:.2f}", (place + side, mean), (8, 6), textcoords="offset points")
    names = [f"{name}\n{task['metric']}" for name, task in tasks.items()]
    axes.set_xticks(range(len(tasks)), names)
    axes.set_ylabel("score on the development set")
    axes.legend(title="initial weights", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=150)
    pyplot.close(figure)


def main(settings: Settings) -> int:
    """Returns the exit status; a comparison that was stopped leaves the kept result as it is."""
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.training.stop import StopRequest

    with StopRequest() as stop:
        tasks = compare(settings, stop)
    if tasks is None:
        return stop.exit_status
    result = {
        "command": "python -m experiments.pretrained_or_random --pretrained_dir=pretrain_mini "
        f"--data_dir=data/glue --output_dir=pretrained_or_random "
        f"--num_train_epochs={settings.num_train_epochs:g}",
        "machine": machine.describe(),
        "learning_rate": RATE,
        "tasks": tasks,
    }
    target = Path(settings.result_file)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_text(target, json.dumps(result, indent=1) + "\n")
    draw(tasks, target.with_suffix(".png"))
    return 0


if __name__ == "__main__":
    flags.run(main, Settings)
