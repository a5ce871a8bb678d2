"""How fast weights come from files into a model, and how much memory a conversion takes."""

import sys
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from experiments import machine

FORMATS = ("hugging_face", "tf1")


def loading(size: str = "base", num_rounds: int = 7) -> dict[str, float]:
    """Seconds to load an encoder, and the ratio to reading its files and copying the bytes once.

    Both are timed in turn with the files in the page cache, and the fastest of each counts.
    """
    from bert_keras.checkpoints.formats.detection import read_weights
    from bert_keras.checkpoints.loading import load_weights
    from bert_keras.config import BertConfig
    from bert_keras.models.bert import bert

    model = bert(BertConfig.named(size))
    found = {}
    for name in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            _write(model, name, folder)
            seconds, least_seconds = _fastest(
                lambda folder: load_weights(model, read_weights(folder)),
                _read_and_copy,
                folder,
                num_rounds,
            )
        found[f"{name}_seconds"] = seconds
        found[f"{name}_ratio"] = seconds / least_seconds
    return found


def conversion_memory(size: str = "large") -> dict[str, float]:
    """Peaks of memory of the program that converts, as multiples of the weights' bytes."""
    from bert_keras.config import BertConfig
    from bert_keras.models.bert import bert

    model = bert(BertConfig.named(size))
    weights_gb = 4 * model.count_params() / 2**30
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            Path(folder, name).mkdir()
            _write(model, name, f"{folder}/{name}")
        del model
        for source, target in (FORMATS, FORMATS[::-1]):
            command = [sys.executable, "-m", "bert_keras.run_conversion", f"--format={target}"]
            command += [f"--input={folder}/{source}", f"--output={folder}/{source}_to_{target}"]
            peak = machine.peak_memory_gb(command)
            found[f"{source}_to_{target}_ratio"] = peak / weights_gb
    return found


def _write(model, name: str, folder: str) -> None:
    from bert_keras.checkpoints.conversion.writing import WRITERS
    from bert_keras.checkpoints.loading import named_variables
    from bert_keras.checkpoints.stored_model import StoredModel
    from bert_keras.checkpoints.weights import Weights
    from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

    variables = named_variables(model)
    shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
    stored = StoredModel(
        config=model.get_layer("embeddings").config,
        tokenizer=WordPieceTokenizer(str(files("bert_keras") / "sample" / "vocab.txt")),
        weights=Weights("random", shapes, lambda name: variables[name].value.numpy()),
        model="bert",
    )
    WRITERS[name](stored, folder)


def _read_and_copy(folder: str) -> None:
    for path in Path(folder).iterdir():
        bytearray(path.read_bytes())


def _fastest(load: Callable, least: Callable, folder: str, num_rounds: int) -> tuple[float, float]:
    rounds = [
        (machine.seconds(lambda: load(folder)), machine.seconds(lambda: least(folder)))
        for _ in range(num_rounds)
    ]
    seconds, least_seconds = zip(*rounds, strict=True)
    return min(seconds), min(least_seconds)
