r"""How fast a text becomes a vector: exported, in Python, and by what others offer.

Claim    Sought: one short text takes no longer than by onnxruntime behind the Rust tokenizer, and
         2,000 sentences of mixed lengths go 1.2 times as fast as by the better of onnxruntime and
         sentence-transformers, same weights and texts, two cores. In the order in which they stand,
         32 a request, they go 1.39 times as fast by a SavedModel. Sorted by length before, 0.95
         times, in bfloat16 1.04 and by LiteRT's int8 2.7 times: in float32 1.2 times would be 78 %
         of what the machine's largest products reach. One short text takes a SavedModel 8.8 ms,
         onnxruntime 2.1, LiteRT's int8 0.7: by TensorFlow's profiler over half of it are 37
         products of matrices, a fifth 24 transpositions. The first request after the warm-up takes
         1.2 times the usual time (sought: 2).
Cost     Six minutes on 2 quiet cores, 2 GB of memory.
Command  python -m experiments.serving_speed --model=all-MiniLM-L6-v2 --num_rounds=2 \
             --input_file=STS-B/dev.tsv
Found    experiments/results/serving_speed.json, and the lines that are printed.

The rows take turns, each in a process of its own, and the best turn of each counts. Batches are of
32 texts, about equally long, and for `mixed_texts_per_second` in an order of chance. Needs the
extras `parity`, `litert` and `onnx`.
"""

import concurrent.futures
import dataclasses
import json
import multiprocessing
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from experiments import machine
from experiments.training_step import matmul_flops_per_second

RESULTS = Path(__file__).parent / "results" / "serving_speed.json"
BATCH_SIZE = 32
SHORT_TEXT = "A man is playing a guitar."
Embed = Callable[[Sequence[str]], np.ndarray]  # texts -> [N, H]


@dataclasses.dataclass(frozen=True)
class Settings:
    model: str = flags.required("Folder of a sentence encoder in the format of Hugging Face.")
    input_file: str = flags.required("TSV with the columns sentence1 and sentence2.")
    row: list[str] = flags.setting(
        (
            *("saved_model", "saved_model_bfloat16", "predictor"),
            *("litert_float32", "litert_int8", "onnxruntime", "sentence_transformers"),
        ),
        "Rows to measure.",
    )
    num_texts: int = flags.setting(2000, "Sentences of the throughput.", minimum=1)
    num_calls: int = flags.setting(200, "Calls with one short text.", minimum=1)
    num_rounds: int = flags.setting(3, "How often; the best turn of each counts.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def saved_model(policy: str) -> Callable[[str, str], Embed]:
    """`serving_default` of an export, after its warm-up."""

    def make(model: str, folder: str) -> Embed:
        import tensorflow as tf

        from bert_keras.serving import warm_up
        from bert_keras.serving.load import load_model
        from bert_keras.serving.saved_model import export
        from bert_keras.training.precision import precision

        with precision(policy):
            loaded = load_model(model)
        signature = tf.saved_model.load(export(loaded, folder)).signatures["serving_default"]
        texts = {"text": tf.TensorSpec([None], tf.string)}
        for request in warm_up.requests(texts, loaded.task.max_seq_length):
            signature(text=tf.constant(request["text"]))
        return lambda texts: signature(text=tf.constant(texts))["embedding"].numpy()

    return make


def predictor(model: str, folder: str) -> Embed:
    """`Predictor`."""
    from bert_keras.serving import Predictor

    answers = Predictor(model)
    return lambda texts: np.stack([one.embedding for one in answers.predict(list(texts))])


def litert(precision: str) -> Callable[[str, str], Embed]:
    """A file for LiteRT with the tokenizer in Python."""

    def make(model: str, folder: str) -> Embed:
        from bert_keras.serving.litert import LiteRTModel, export_litert
        from bert_keras.serving.load import load_model

        export_litert(load_model(model), f"{folder}/model", precision)
        loaded = LiteRTModel(f"{folder}/model")

        def embed(texts):
            encoded = loaded.task.encode(texts, loaded.tokenizer)
            outputs = loaded.outputs_of(encoded.examples, BATCH_SIZE)
            return np.stack(outputs["sentence_embedding"])

        return embed

    return make


def onnxruntime(model: str, folder: str) -> Embed:
    """PyTorch's model as ONNX, the Rust tokenizer, mean and length in NumPy."""
    import onnxruntime as runtime
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel

    path, names = f"{folder}/model.onnx", ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "length"} for name in (*names, "hidden")}

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = AutoModel.from_pretrained(model, attn_implementation="eager").eval()

        def forward(self, ids, mask, segments):
            return self.encoder(ids, mask, segments).last_hidden_state

    torch.onnx.export(
        Hidden(),
        tuple(torch.ones([2, 4], dtype=torch.int64) for _ in names),
        path,
        input_names=names,
        output_names=["hidden"],
        dynamic_axes=axes,
        dynamo=False,
    )
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()

    def embed(texts):
        found = tokenizer.encode_batch(list(texts))
        ids, mask, segments = (
            np.array([getattr(one, name) for one in found], np.int64)
            for name in ("ids", "attention_mask", "type_ids")
        )
        [hidden] = session.run(None, dict(zip(names, (ids, mask, segments), strict=True)))
        weights = mask[..., np.newaxis].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    return embed


def sentence_transformers(model: str, folder: str) -> Embed:
    """PyTorch by the library of the model."""
    from sentence_transformers import SentenceTransformer

    loaded = SentenceTransformer(model, device="cpu")
    return lambda texts: loaded.encode(list(texts), batch_size=BATCH_SIZE)


ROWS: dict[str, Callable[[str, str], Embed]] = {
    "saved_model": saved_model("float32"),
    "saved_model_bfloat16": saved_model("bfloat16"),
    "predictor": predictor,
    "litert_float32": litert("float32"),
    "litert_int8": litert("int8"),
    "onnxruntime": onnxruntime,
    "sentence_transformers": sentence_transformers,
}


def measure(
    row: str, model: str, texts: Sequence[str], num_calls: int
) -> tuple[dict[str, float], np.ndarray]:
    """The figures of one turn, and the vectors of the texts."""
    import_tensorflow_quietly()
    with tempfile.TemporaryDirectory() as folder:
        embed = ROWS[row](model, folder)
        milliseconds = [
            1000 * machine.seconds(lambda: embed([SHORT_TEXT])) for _ in range(num_calls)
        ]
        usual = milliseconds[num_calls // 4 :]  # libraries settle in their first calls
        mixed = random.Random(0).sample(texts, len(texts))
        embed(texts[-BATCH_SIZE:])
        vectors, seconds = _in_batches(embed, texts)
        _, mixed_seconds = _in_batches(embed, mixed)
    figures = {
        "first_ms": milliseconds[0],
        "p50_ms": float(np.percentile(usual, 50)),
        "p99_ms": float(np.percentile(usual, 99)),
        "texts_per_second": len(texts) / seconds,
        "mixed_texts_per_second": len(texts) / mixed_seconds,
    }
    return figures, vectors


def _in_batches(embed: Embed, texts: Sequence[str]) -> tuple[np.ndarray, float]:
    """The vectors of texts in their order, and the seconds that they took."""
    batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
    found = []
    seconds = machine.seconds(lambda: found.extend(map(embed, batches)))
    return np.concatenate(found), seconds


def ceiling(model: str, texts: Sequence[str]) -> float:
    """Texts a second that the products of matrices alone would allow in float32.

    By the best of large products by TensorFlow; padding and all that is no product cost nothing.
    """
    import_tensorflow_quietly()
    from bert_keras.pretraining.estimates import step_flops
    from bert_keras.serving.load import load_model

    loaded = load_model(model)
    lengths = loaded.task.encode(texts, loaded.tokenizer).examples.lengths
    # A step's arithmetic is the forward pass and twice that.
    flops = sum(step_flops(loaded.config, 1, int(length), 0) for length in lengths) / 3
    return len(texts) * matmul_flops_per_second() / flops


def read_texts(path: str, num_texts: int) -> list[str]:
    """As many sentences, the shortest first."""
    from bert_keras.tasks.tables import read_rows

    rows = [*read_rows(path)]
    texts = [row.text(name) for name in ("sentence1", "sentence2") for row in rows][:num_texts]
    return sorted(texts, key=lambda text: len(text.split()))


def best(turns: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of several turns the best of each figure."""
    return {
        name: (max if name.endswith("per_second") else min)(turn[name] for turn in turns)
        for name in turns[0]
    }


def _in_new_process(function: Callable, *arguments: Any) -> Any:
    """What a function returns, of libraries that have met nothing before."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as executor:
        return executor.submit(function, *arguments).result()


def main(settings: Settings) -> None:
    if unknown := set(settings.row) - set(ROWS):
        raise InputError(f"--row must be of {', '.join(ROWS)}. Received: {', '.join(unknown)}")
    texts = read_texts(settings.input_file, settings.num_texts)
    turns, vectors, ceilings = {row: [] for row in settings.row}, {}, []
    for _ in range(settings.num_rounds):
        ceilings.append(_in_new_process(ceiling, settings.model, texts))
        for row in settings.row:
            figures, vectors[row] = _in_new_process(
                measure, row, settings.model, texts, settings.num_calls
            )
            turns[row].append(figures)
    rows = {row: best(of_row) for row, of_row in turns.items()}
    reference = vectors[settings.row[0]]
    for row, figures in rows.items():
        figures["largest_difference"] = float(np.abs(vectors[row] - reference).max())
        print(f"{row:22} {' | '.join(f'{name} {value:.4g}' for name, value in figures.items())}")
    path = Path(settings.output_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    results = {
        "machine": machine.describe(),
        "num_texts": len(texts),
        "ceiling_texts_per_second": max(ceilings),
        "rows": rows,
    }
    print(f"ceiling: {max(ceilings):.4g} texts a second")
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    flags.run(main, Settings)
