"""Draws the loss curve of a run from its result file.

    python -m experiments.loss_curve experiments/results/pretrain_mini.json

writes the picture beside the file, with the ending .png.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from bert_keras import flags
from bert_keras.errors import InputError

matplotlib.use("agg")  # files only: no window is opened, none is needed
from matplotlib import pyplot  # noqa: E402


@dataclass(frozen=True)
class Settings:
    result_file: list[str] = flags.arguments("RESULT.json", "Result files of runs.")


def draw(result: dict, picture: Path) -> None:
    """Draws the masked-LM loss over the steps, beside what it has to beat and what it reached.

    Args:
      result: has `loss_curve`, a list of reports with `step` and `masked_lm_loss`; `held_out` with
        `masked_lm_loss`; `baselines` with the `masked_lm_loss` of a unigram model.
      picture: the file to write.
    """
    steps = [report["step"] for report in result["loss_curve"]]
    losses = [report["masked_lm_loss"] for report in result["loss_curve"]]
    unigram = result["baselines"]["masked_lm_loss"]
    held_out = result["held_out"]["masked_lm_loss"]
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(steps, losses, color="tab:blue", linewidth=1.5)
    axes.annotate("training", (steps[-1] / 3, losses[len(losses) // 3]), (6, 8), **LABEL)
    axes.axhline(unigram, color="tab:gray", linestyle="--", linewidth=1)
    axes.annotate(f"unigram model, held-out {unigram:.2f}", (steps[-1], unigram), (-4, 4), **RIGHT)
    axes.plot(steps[-1], held_out, "o", color="tab:red")
    axes.annotate(f"held-out {held_out:.2f}", (steps[-1], held_out), (-8, -14), **RIGHT)
    axes.set_xlabel("step")
    axes.set_ylabel("masked-LM loss (nats)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=150)
    pyplot.close(figure)


LABEL = {"textcoords": "offset points"}
RIGHT = LABEL | {"horizontalalignment": "right"}


def main(settings: Settings) -> None:
    if not settings.result_file:
        raise InputError("Expected the names of result files; received none.")
    for name in settings.result_file:
        picture = Path(name).with_suffix(".png")
        draw(json.loads(Path(name).read_text(encoding="utf-8")), picture)
        print(picture)


if __name__ == "__main__":
    flags.run(main, Settings)
