"""How fast the parts are: as shares and ratios, which mean the same on a noisy machine.

Claim    A training step spends three quarters (BERT-Base) of the time that the machine's own
         matrix products would need for its arithmetic; text and records never hold it up.
Cost     Five minutes on 2 quiet cores; BERT-Base takes 4 GB of memory.
Command  python -m experiments.benchmarks [--row=mini_32x128 …] [--peer=keras_hub]
Found    experiments/results/benchmarks.json, and the table that is printed.

Every row runs in a process of its own, so that its peak of memory is its own.
"""

import concurrent.futures
import dataclasses
import importlib.resources
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from experiments import machine

SAMPLE = importlib.resources.files("bert_keras") / "sample"
RESULTS = Path(__file__).parent / "results" / "benchmarks.json"
# name of a row -> released size, batch size, length
TRAINING_ROWS = {
    "mini_32x128": ("mini", 32, 128),
    "base_8x128": ("base", 8, 128),
    "base_2x512": ("base", 2, 512),
}
TEXT_ROWS = ("tokenizers", "input_pipeline", "data_creation")
PEERS = ("keras_hub",)


@dataclasses.dataclass(frozen=True)
class Settings:
    row: list[str] = flags.setting(
        (*TRAINING_ROWS, *TEXT_ROWS), "Rows to measure; without it all of them."
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
            rows[f"{settings.peer} {name}"] = (_peer_step, name, settings.num_steps)
    results = {"machine": machine.describe(), "rows": {}}
    for name, (function, *arguments) in rows.items():
        results["rows"][name] = _in_own_process(function, *arguments)
        figures = (f"{key} {value:,.4g}" for key, value in results["rows"][name].items())
        print(f"{name:24} {' | '.join(figures)}", flush=True)
    path = Path(settings.output_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _measurement(name: str, settings: Settings) -> tuple:
    if name in TRAINING_ROWS:
        return _training_step, name, settings.num_steps
    functions = {
        "tokenizers": _tokenizers,
        "input_pipeline": _input_pipeline,
        "data_creation": _data_creation,
    }
    if name not in functions:
        raise InputError(
            f"--row must be one of {', '.join((*TRAINING_ROWS, *functions))}. Received: {name}"
        )
    return (functions[name],)


def _in_own_process(function: Callable, *arguments) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as executor:
        return executor.submit(_run_quietly, function, *arguments).result()


def _run_quietly(function: Callable, *arguments) -> dict[str, float]:
    import_tensorflow_quietly()
    return function(*arguments)


def _training_step(row: str, num_steps: int) -> dict[str, float]:
    """The step of the programs, optimizer included, dropout on."""
    from bert_keras.config import BertConfig
    from bert_keras.models.pretrainer import pretrainer
    from bert_keras.objectives.pretraining import LOSSES, pretraining
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.optimizers.schedules import WarmupPolynomialDecay
    from bert_keras.training import loop
    from bert_keras.training.devices import DeviceSettings
    from bert_keras.training.strategy import strategy_for

    size, batch_size, length = TRAINING_ROWS[row]
    config = BertConfig.named(size)
    model = pretrainer(config)
    optimizer = AdamWeightDecay(WarmupPolynomialDecay(1e-4, 10_000, 100))
    optimizer.build(model.trainable_variables)
    step = loop.compile_train_step(
        strategy_for(DeviceSettings()), model, pretraining, LOSSES, optimizer
    )
    batch = _batch(config, batch_size, length)
    return _time_steps(lambda: float(step(batch)[1]), config, batch_size, length, num_steps)


def _peer_step(row: str, num_steps: int) -> dict[str, float]:
    """KerasHub's masked-LM training step at the same size: it has no next-sentence head."""
    import keras
    import keras_hub

    from bert_keras.config import BertConfig

    size, batch_size, length = TRAINING_ROWS[row]
    config = BertConfig.named(size)
    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=config.vocab_size,
        num_layers=config.num_hidden_layers,
        num_heads=config.num_attention_heads,
        hidden_dim=config.hidden_size,
        intermediate_dim=config.intermediate_size,
        max_sequence_length=config.max_position_embeddings,
    )
    model = keras_hub.models.BertMaskedLM(backbone, preprocessor=None)
    model.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        optimizer=keras.optimizers.AdamW(1e-4, weight_decay=0.01, global_clipnorm=1.0),
    )
    batch = _batch(config, batch_size, length)
    inputs = {
        "token_ids": batch["input_ids"],
        "padding_mask": batch["input_mask"],
        "segment_ids": batch["segment_ids"],
        "mask_positions": batch["masked_lm_positions"],
    }
    return _time_steps(
        lambda: model.train_on_batch(inputs, batch["masked_lm_ids"]),
        config,
        batch_size,
        length,
        num_steps,
    )


def _batch(config, batch_size: int, length: int) -> dict:
    """Random features; 20 predictions for each 128 positions, as the paper's 15 %."""
    import numpy as np
    import tensorflow as tf

    rng = np.random.default_rng(0)
    predictions = (batch_size, _num_predictions(length))
    integers = {
        "input_ids": rng.integers(config.vocab_size, size=(batch_size, length)),
        "input_mask": np.ones((batch_size, length)),
        "segment_ids": rng.integers(2, size=(batch_size, length)),
        "masked_lm_positions": np.sort(rng.integers(length, size=predictions)),
        "masked_lm_ids": rng.integers(config.vocab_size, size=predictions),
        "next_sentence_labels": rng.integers(2, size=(batch_size, 1)),
    }
    batch = {name: tf.constant(value, tf.int32) for name, value in integers.items()}
    return batch | {"masked_lm_weights": tf.ones(predictions)}


def _num_predictions(length: int) -> int:
    return 20 * length // 128


def _time_steps(take_step, config, batch_size, length, num_steps) -> dict[str, float]:
    for _ in range(3):
        take_step()
    ceiling = matmul_flops_per_second()
    seconds = min(_seconds(take_step) for _ in range(num_steps))
    ceiling = max(ceiling, matmul_flops_per_second())
    flops = step_flops(config, batch_size, length)
    return {
        "seconds": seconds,
        "examples_per_second": batch_size / seconds,
        "share_of_matmul_ceiling": flops / seconds / ceiling,
        "ceiling_gflops": ceiling / 1e9,
        "peak_memory_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def _seconds(function: Callable) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def step_flops(config, batch_size: int, length: int) -> float:
    """Arithmetic of a step: forward and twice that backward, two for a multiplication and a sum.

    6 for each weight of the layers and token, the two products of attention, and the masked-LM
    head at the masked positions only.
    """
    width, layers = config.hidden_size, config.num_hidden_layers
    num_tokens = batch_size * length
    layer_weights = layers * (4 * width**2 + 2 * width * config.intermediate_size)
    attention = layers * 2 * num_tokens * length * width
    head = batch_size * _num_predictions(length) * (width**2 + width * config.vocab_size)
    return 6 * (layer_weights * num_tokens + attention + head)


def matmul_flops_per_second() -> float:
    """The machine's ceiling: best of 10 products of 1024 x 768 x 3072 in float32."""
    import tensorflow as tf

    left, right = tf.random.normal([1024, 768]), tf.random.normal([768, 3072])
    product = tf.function(tf.matmul)
    product(left, right)
    return 2 * 1024 * 768 * 3072 / min(_seconds(lambda: product(left, right)) for _ in range(10))


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
        "in_graph_mb_per_second": megabytes / min(_seconds(all_in_graph) for _ in range(5)),
        "python_mb_per_second": megabytes / min(_seconds(all_plain) for _ in range(5)),
    }


def _input_pipeline() -> dict[str, float]:
    import tempfile

    from experiments.input_pipeline import examples_per_second, write_synthetic_records

    with tempfile.TemporaryDirectory() as folder:
        return {"examples_per_second": examples_per_second(write_synthetic_records(Path(folder)))}


def _data_creation() -> dict[str, float]:
    """Records of length 128 a second, dupe_factor 5, the tokenizer included, on one core."""
    import tempfile

    from experiments import plain_data_creation
    from tfrecord_tools import create_pretraining_data

    with tempfile.TemporaryDirectory() as folder:
        settings = create_pretraining_data.Settings(
            input_file=[str(SAMPLE / "corpus.txt")],
            output_file=[str(Path(folder, "records.tfrecord"))],
            vocab_file=str(SAMPLE / "vocab.txt"),
            dupe_factor=5,
        )
        start = time.perf_counter()
        num_records = create_pretraining_data.create_pretraining_data(settings).num_records
        ours = num_records / (time.perf_counter() - start)
        start = time.perf_counter()
        plain = plain_data_creation.create_pretraining_data(settings) / (
            time.perf_counter() - start
        )
    return {
        "records_per_second": ours,
        "plain_records_per_second": plain,
        "ratio": ours / plain,
    }


if __name__ == "__main__":
    flags.run(main, Settings)
