"""How fast and in how much memory the bucketed builder makes records.

Claim: on two cores at length 128 at least 15 times the records a second of plain Python
(`experiments.plain_data_creation`), at least 8 MB of source text a second at dupe_factor 1, and for
eight times the text at most 1.5 times the memory.

The text is the sample's sentences in random order, so that it may have any size.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from experiments import plain_data_creation
from tfrecord_tools.create_pretraining_data import Settings

SENTENCES_A_DOCUMENT = 30
SECONDS_BETWEEN_LOOKS = 0.02


class Run(NamedTuple):
    """What a run of the program took."""

    seconds: float  # its start included
    num_records: int
    peak_memory_gb: float  # of all its processes together, shared pages once


def rates(text: Path, vocab_file: Path) -> dict[str, float]:
    """Records and megabytes a second of one and two workers, and of plain Python."""
    megabytes = text.stat().st_size / 1e6
    figures = {}
    for num_workers in (1, 2):
        copies = build(text, vocab_file, num_workers=num_workers, dupe_factor=5)
        once = build(text, vocab_file, num_workers=num_workers, dupe_factor=1)
        name = f"workers_{num_workers}"
        figures[f"{name}_records_per_second"] = copies.num_records / copies.seconds
        figures[f"{name}_mb_per_second"] = megabytes / once.seconds
    figures["plain_records_per_second"] = plain_records_per_second(text, vocab_file)
    figures["ratio"] = figures["workers_2_records_per_second"] / figures["plain_records_per_second"]
    return figures


def memory(sample: Path, vocab_file: Path, megabytes: float) -> dict[str, float]:
    """Peak memory for a text and for one of eight times the size."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for size in (megabytes, 8 * megabytes):
            text = Path(folder, "text")
            write_text(text, sample, size)
            run = build(text, vocab_file, num_workers=2, dupe_factor=5)
            peaks.append(run.peak_memory_gb)
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


def build(text: Path, vocab_file: Path, num_workers: int, dupe_factor: int, *flags: str) -> Run:
    """Runs the program in processes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "tfrecord_tools.create_pretraining_data"),
            *(f"--input_file={text}", f"--vocab_file={vocab_file}", f"--output_file={folder}/out"),
            *(f"--num_workers={num_workers}", f"--dupe_factor={dupe_factor}", "--num_shards=8"),
            *flags,
        ]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, sum(map(_memory_gb, _family(process.pid))))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        seconds = time.perf_counter() - start
        if process.returncode:
            raise RuntimeError(process.stderr.read().decode())
        summary = json.loads(Path(folder, "out.summary.json").read_text(encoding="utf-8"))
    return Run(seconds, summary["num_records"], peak)


def plain_records_per_second(text: Path, vocab_file: Path) -> float:
    """The yardstick at dupe_factor 5, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            input_file=[str(text)],
            output_file=[f"{folder}/out"],
            vocab_file=str(vocab_file),
            dupe_factor=5,
        )
        start = time.perf_counter()
        num_records = plain_data_creation.create_pretraining_data(settings)
        return num_records / (time.perf_counter() - start)


def _family(process_id: int) -> list[int]:
    """The process and all that descend from it."""
    found = [process_id]
    try:
        for task in Path(f"/proc/{process_id}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _family(int(child))
    except OSError:  # it has just ended
        pass
    return found


def _memory_gb(process_id: int) -> float:
    """Its proportional share of memory: a page that k processes share counts 1/k for each."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 2**20
