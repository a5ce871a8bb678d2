"""How fast and in how much memory the bucketed builder makes records.

Claim: on two cores at length 128 at least 15 times the records a second of plain Python
(`experiments.plain_data_creation`), both at the dupe_factor of 10 that is the default, at least 8
MB of source text a second at dupe_factor 1, and for eight times the text at most 1.5 times the
memory.

The text is the sample's sentences in random order, so that it may have any size.
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from experiments import machine, plain_data_creation
from tfrecord_tools.create_pretraining_data import Settings

SENTENCES_A_DOCUMENT = 30
DUPE_FACTOR = 10  # the program's own


class Build(NamedTuple):
    """What a run of the program took, and made."""

    seconds: float
    num_records: int


def rates(text: Path, vocab_file: Path) -> dict[str, float]:
    """Records and megabytes a second of one and two workers, and of plain Python."""
    megabytes = text.stat().st_size / 1e6
    figures = {}
    for num_workers in (1, 2):
        copies = build(text, vocab_file, num_workers=num_workers, dupe_factor=DUPE_FACTOR)
        once = build(text, vocab_file, num_workers=num_workers, dupe_factor=1)
        name = f"workers_{num_workers}"
        figures[f"{name}_records_per_second"] = copies.num_records / copies.seconds
        figures[f"{name}_mb_per_second"] = megabytes / once.seconds
    figures["plain_records_per_second"] = plain_records_per_second(text, vocab_file, DUPE_FACTOR)
    figures["ratio"] = figures["workers_2_records_per_second"] / figures["plain_records_per_second"]
    return figures


def memory(sample: Path, vocab_file: Path, megabytes: float) -> dict[str, float]:
    """Peak memory for a text and for one of eight times the size."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for size in (megabytes, 8 * megabytes):
            text = Path(folder, "text")
            write_text(text, sample, size)
            output = Path(folder, "out")
            command = _command(text, vocab_file, output, num_workers=2, dupe_factor=5)
            peaks.append(machine.peak_memory_gb(command))
    return {
        "peak_memory_gb": peaks[0],
        "peak_memory_gb_of_8_times_the_text": peaks[1],
        "ratio": peaks[1] / peaks[0],
    }


def write_text(path: Path, sample: Path, megabytes: float, seed: int = 0) -> None:
    """Writes documents of sentences of the sample, in BERT's input format."""
    sentences = [line for line in sample.read_text(encoding="utf-8").splitlines() if line]
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            file.write("\n".join(rng.choices(sentences, k=SENTENCES_A_DOCUMENT)) + "\n\n")


def build(text: Path, vocab_file: Path, num_workers: int, dupe_factor: int) -> Build:
    """Runs the program in processes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "out")
        taken = machine.run(_command(text, vocab_file, output, num_workers, dupe_factor))
        summary = json.loads(Path(folder, "out.summary.json").read_text(encoding="utf-8"))
    return Build(taken.seconds, summary["num_records"])


def _command(
    text: Path, vocab_file: Path, output: Path, num_workers: int, dupe_factor: int
) -> list[str]:
    return [
        *(sys.executable, "-m", "tfrecord_tools.create_pretraining_data"),
        *(f"--input_file={text}", f"--vocab_file={vocab_file}"),
        *(f"--output_file={output}", "--num_shards=8"),
        *(f"--num_workers={num_workers}", f"--dupe_factor={dupe_factor}"),
    ]


def plain_records_per_second(text: Path, vocab_file: Path, dupe_factor: int) -> float:
    """The yardstick, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            input_file=[str(text)],
            output_file=[f"{folder}/out"],
            vocab_file=str(vocab_file),
            dupe_factor=dupe_factor,
        )
        start = time.perf_counter()
        num_records = plain_data_creation.create_pretraining_data(settings)
        return num_records / (time.perf_counter() - start)
