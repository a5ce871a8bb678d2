"""How fast the parts are: as shares and ratios, which mean the same on a noisy machine.

Claim    A training step spends three quarters (BERT-Base) of the time that the machine's own
         matrix products would need for its arithmetic; text, records and the loop around it never
         hold it up.
Cost     Eight minutes on 2 quiet cores; BERT-Base takes 4 GB of memory.
Command  python -m experiments.benchmarks [--row=mini_32x128 …] [--peer=keras_hub]
Found    experiments/results/benchmarks.json, and the table that is printed.

Every row runs in a process of its own, so that its peak of memory is its own.
"""

import concurrent.futures
import dataclasses
import importlib.resources
import json
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from experiments import machine
from experiments.training_step import TRAINING_ROWS, peer_step, training_step

SAMPLE = importlib.resources.files("bert_keras") / "sample"
RESULTS = Path(__file__).parent / "results" / "benchmarks.json"
LOOP_ROWS = ("loop_overhead", "checkpoint_stall", "two_devices", "accumulation")
RECORD_TEXT_MEGABYTES = 12.0
PEERS = ("keras_hub",)


@dataclasses.dataclass(frozen=True)
class Settings:
    row: list[str] = flags.setting(
        (
            *TRAINING_ROWS,
            *LOOP_ROWS,
            *("tokenizers", "input_pipeline", "dynamic_masks"),
            *("data_creation", "record_building", "record_memory", "answer_features"),
            *("loading", "conversion_memory"),
        ),
        "Rows to measure; without it all of them.",
    )
    text_file: str | None = flags.setting(
        None, "Text of record_building, in BERT's input format; by default the sample's sentences."
    )
    squad_file: str | None = flags.setting(
        None, "File of answer_features, in SQuAD's layout; by default questions on the sample."
    )
    vocab_file: str = flags.setting(
        str(SAMPLE / "vocab.txt"), "Vocabulary of --text_file and --squad_file, in lower case."
    )
    peer: str | None = flags.setting(
        None, "keras_hub: times its training step in the same run (extra: peers)."
    )
    num_steps: int = flags.setting(10, "Training steps to time; the fastest one counts.")
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    rows = {name: _measurement(name, settings) for name in settings.row}
    if settings.peer:
        if settings.peer not in PEERS:
            raise InputError(f"--peer must be one of {PEERS}. Received: {settings.peer}")
        for name in set(settings.row) & set(TRAINING_ROWS):
            rows[f"{settings.peer} {name}"] = (peer_step, name, settings.num_steps)
    results = {"machine": machine.describe(), "rows": {}}
    for name, (function, *arguments) in rows.items():
        results["rows"][name] = _in_own_process(function, *arguments)
        figures = (f"{key} {value:,.4g}" for key, value in results["rows"][name].items())
        print(f"{name:24} {' | '.join(figures)}", flush=True)
    path = Path(settings.output_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _measurement(name: str, settings: Settings) -> tuple:
    functions = {row: (training_step, row, settings.num_steps) for row in TRAINING_ROWS}
    functions |= {row: (_training_loop, row, settings.num_steps) for row in LOOP_ROWS}
    functions |= {
        "tokenizers": (_tokenizers,),
        "input_pipeline": (_input_pipeline,),
        "dynamic_masks": (_dynamic_masks,),
        "data_creation": (_data_creation,),
        "record_building": (_record_building, settings.text_file, settings.vocab_file),
        "record_memory": (_record_memory,),
        "answer_features": (_answer_features, settings.squad_file, settings.vocab_file),
        "loading": (_loading,),
        "conversion_memory": (_conversion_memory,),
        "first_embedding": (_first_embedding,),
    }
    if name not in functions:
        raise InputError(f"--row must be one of {', '.join(functions)}. Received: {name}")
    return functions[name]


def _in_own_process(function: Callable, *arguments) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as executor:
        return executor.submit(_run_quietly, function, *arguments).result()


def _run_quietly(function: Callable, *arguments) -> dict[str, float]:
    import_tensorflow_quietly()
    return function(*arguments)


def _training_loop(row: str, num_steps: int) -> dict[str, float]:
    from experiments import training_loop

    return getattr(training_loop, row)(num_steps)


def _tokenizers() -> dict[str, float]:
    """Megabytes of English prose a second, both engines; pin to one core to compare."""
    import tensorflow as tf

    from bert_keras.tokenizers.in_graph import InGraphTokenizer
    from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

    lines = (SAMPLE / "corpus.txt").read_text(encoding="utf-8").splitlines()
    megabytes = sum(len(line.encode()) for line in lines) / 1e6
    vocab_file = str(SAMPLE / "vocab.txt")
    in_graph = tf.function(InGraphTokenizer(vocab_file).__call__)
    batches = [tf.constant(lines[start : start + 1024]) for start in range(0, len(lines), 1024)]
    plain = WordPieceTokenizer(vocab_file)

    def all_in_graph():
        for batch in batches:
            in_graph(batch)

    def all_plain():
        for line in lines:
            plain.tokenize(line)

    all_in_graph()
    all_plain()
    return {
        "in_graph_mb_per_second": megabytes / min(machine.seconds(all_in_graph) for _ in range(5)),
        "python_mb_per_second": megabytes / min(machine.seconds(all_plain) for _ in range(5)),
    }


def _input_pipeline() -> dict[str, float]:
    from experiments.input_pipeline import examples_per_second

    return {"examples_per_second": examples_per_second()}


def _dynamic_masks() -> dict[str, float]:
    """Examples a second of records without masks, for each way to draw them."""
    from experiments.input_pipeline import masked_examples_per_second

    modes = ("token", "whole_word", "ngram", "span")
    return {f"{mode}_examples_per_second": masked_examples_per_second(mode) for mode in modes}


def _data_creation() -> dict[str, float]:
    """Records of length 128 a second, dupe_factor 5, the tokenizer included, on one core."""
    import tempfile

    from experiments import record_building
    from tfrecord_tools import create_pretraining_data

    text, vocab_file, dupe_factor = SAMPLE / "corpus.txt", SAMPLE / "vocab.txt", 5
    with tempfile.TemporaryDirectory() as folder:
        settings = create_pretraining_data.Settings(
            input_file=[str(text)],
            output_file=[str(Path(folder, "records.tfrecord"))],
            vocab_file=str(vocab_file),
            dupe_factor=dupe_factor,
        )
        start = time.perf_counter()
        num_records = create_pretraining_data.create_pretraining_data(settings).num_records
        ours = num_records / (time.perf_counter() - start)
    plain = record_building.plain_records_per_second(text, vocab_file, dupe_factor)
    return {
        "records_per_second": ours,
        "plain_records_per_second": plain,
        "ratio": ours / plain,
    }


def _record_building(text_file: str | None, vocab_file: str) -> dict[str, float]:
    import tempfile

    from experiments import record_building

    with tempfile.TemporaryDirectory() as folder:
        text = Path(text_file or f"{folder}/text")
        if text_file is None:
            record_building.write_text(text, SAMPLE / "corpus.txt", RECORD_TEXT_MEGABYTES)
        return record_building.rates(text, Path(vocab_file))


def _record_memory() -> dict[str, float]:
    from experiments import record_building

    return record_building.memory(SAMPLE / "corpus.txt", SAMPLE / "vocab.txt", megabytes=4)


def _answer_features(squad_file: str | None, vocab_file: str) -> dict[str, float]:
    import tempfile

    from experiments import answer_features

    with tempfile.TemporaryDirectory() as folder:
        questions = Path(squad_file or f"{folder}/questions.json")
        if squad_file is None:
            answer_features.write_questions(questions, SAMPLE / "corpus.txt", num_contexts=400)
        return answer_features.rates(questions, Path(vocab_file))


def _loading() -> dict[str, float]:
    from experiments.loading import loading

    return loading()


def _conversion_memory() -> dict[str, float]:
    from experiments.loading import conversion_memory

    return conversion_memory()


def _first_embedding() -> dict[str, float]:
    from experiments.first_embedding import first_embedding

    return first_embedding()


if __name__ == "__main__":
    flags.run(main, Settings)
