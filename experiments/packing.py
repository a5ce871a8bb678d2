r"""How much padding goes away, and how much time with it, where several examples share a row.

Claim    Two sentences of a novel leave 40 % of a row of 128 positions to padding; packed, rows have
         less than 5 %. A step over as many rows takes as long, so examples a second rise by 1.6.
         Krell et al. 2021 (arXiv:2107.02027, abstract) find half of the tokens of Wikipedia's
         records of length 512 to be padding, and twice the speed without it.
Cost     One minute on 2 quiet cores, 2 GB of memory.
Command  python -m experiments.packing
         python -m experiments.packing --input_file=own.txt --vocab_file=vocab.txt
Found    experiments/results/packing.json, and the lines that are printed.

The ordinary program makes the records; two lines make a document for it, so that each record holds
a pair of sentences, as those of sentence-pair tasks do.
"""

import dataclasses
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from experiments import machine
from experiments.benchmarks import SAMPLE
from tfrecord_tools import create_pretraining_data

NUM_WARM_UP_STEPS = 3
RESULTS = Path(__file__).parent / "results" / "packing.json"


@dataclasses.dataclass(frozen=True)
class Settings:
    input_file: str = flags.setting(str(SAMPLE / "corpus.txt"), "Text, one sentence a line.")
    vocab_file: str = flags.setting(str(SAMPLE / "vocab.txt"), "Vocabulary of the text.")
    sentences_per_document: int = flags.setting(
        2, "So many lines make a document; 0 keeps the documents of the text.", minimum=0
    )
    max_seq_length: int = flags.setting(128, "Positions of a row.", minimum=8)
    max_predictions_per_seq: int = flags.setting(20, "Predictions of a row.", minimum=1)
    batch_size: int = flags.setting(32, "Rows of a training step.", minimum=1)
    num_steps: int = flags.setting(10, "Steps to time; the fastest one counts.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    import_tensorflow_quietly()
    with tempfile.TemporaryDirectory() as folder:
        records = make_records(settings, Path(folder))
        rows = {name: counts(settings, records, kind) for name, kind in kinds().items()}
        steps = {name: steps_of(settings, records, kind) for name, kind in kinds().items()}
        timed = {name: [] for name in steps}
        for _ in range(NUM_WARM_UP_STEPS + settings.num_steps):
            for name, step in steps.items():  # in turn, so that both meet the same disturbances
                timed[name].append(next(step))
    for name, row in rows.items():
        row |= rates(timed[name][NUM_WARM_UP_STEPS:])
        print(f"{name:9} " + " | ".join(f"{key} {value:,.4g}" for key, value in row.items()))
    used = dataclasses.asdict(settings) | {
        name: Path(getattr(settings, name)).name  # folders mean nothing on another machine
        for name in ("input_file", "vocab_file", "output_file")
    }
    results = {"machine": machine.describe(), "settings": used, "rows": rows}
    Path(settings.output_file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def make_records(settings: Settings, folder: Path) -> str:
    """Writes the records of the text; returns their path."""
    lines = Path(settings.input_file).read_text(encoding="utf-8").splitlines()
    text = folder / "documents.txt"
    text.write_text("\n".join(documents(lines, settings.sentences_per_document)), encoding="utf-8")
    records = str(folder / "records.tfrecord")
    create_pretraining_data.create_pretraining_data(
        create_pretraining_data.Settings(
            input_file=[str(text)],
            output_file=[records],
            vocab_file=settings.vocab_file,
            max_seq_length=settings.max_seq_length,
            max_predictions_per_seq=settings.max_predictions_per_seq,
            dupe_factor=1,
        )
    )
    return records


def documents(lines: list[str], sentences_per_document: int) -> Iterator[str]:
    """The lines, with an empty one after so many sentences; 0 leaves them as they are."""
    if not sentences_per_document:
        yield from lines
        return
    sentences = [line for line in lines if line]
    for start in range(0, len(sentences), sentences_per_document):
        yield from (*sentences[start : start + sentences_per_document], "")


def kinds() -> dict[str, Any]:
    from bert_keras.pretraining.examples import LAYOUTS

    return {"unpacked": LAYOUTS["single"], "packed": LAYOUTS["packed"]}


def counts(settings: Settings, records: str, kind) -> dict[str, float]:
    """The rows that the records need, and the share of padding there."""
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    num_rows = num_tokens = 0
    for batch in kind.evaluation_dataset(records, *lengths, batch_size=1024).as_numpy_iterator():
        num_rows += len(batch["input_ids"])
        num_tokens += (batch["input_ids"] != 0).sum()
    num_positions = num_rows * settings.max_seq_length
    return {"num_rows": num_rows, "share_of_padding": float(1 - num_tokens / num_positions)}


def steps_of(settings: Settings, records: str, kind) -> Iterator[tuple[float, float]]:
    """Trains BERT-Mini, dropout on; yields the seconds of each step and its number of examples."""
    from bert_keras.config import BertConfig
    from bert_keras.objectives.pretraining import LOSSES, pretraining
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.tokenizers.vocabulary import load_vocabulary
    from bert_keras.training import loop
    from bert_keras.training.devices import DeviceSettings
    from bert_keras.training.strategy import strategy_for

    model = kind.build(BertConfig.named("mini", len(load_vocabulary(settings.vocab_file))))
    optimizer = AdamWeightDecay(1e-4)
    optimizer.build(model.trainable_variables)
    take_step = loop.compile_train_step(
        strategy_for(DeviceSettings()), model, pretraining, LOSSES, optimizer
    )
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    for batch in kind.training_dataset(records, *lengths, settings.batch_size, seed=1):
        start = time.perf_counter()
        taken = take_step(batch)
        float(taken.gradient_norm)
        yield time.perf_counter() - start, float(taken.means["next_sentence_loss"].count)


def rates(steps: list[tuple[float, float]]) -> dict[str, float]:
    """The fastest step counts, and how many examples there are in one on average."""
    seconds = min(seconds for seconds, _ in steps)
    examples = sum(examples for _, examples in steps) / len(steps)
    return {
        "seconds": seconds,
        "examples_of_a_step": examples,
        "examples_per_second": examples / seconds,
    }


if __name__ == "__main__":
    flags.run(main, Settings)
