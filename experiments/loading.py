"""How fast weights come from files into a model, and how much memory a conversion takes."""

import dataclasses
import functools
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from experiments import machine

FORMATS = ("hugging_face", "tf1")
SLOTS = "slots"  # the input that has Adam's moments
# what is measured -> the input, and what is asked of the program
CONVERSIONS = {
    "hugging_face_to_tf1": ("hugging_face", "--format=tf1"),
    "tf1_to_hugging_face": ("tf1", "--format=hugging_face"),
    "slots": (SLOTS, "--format=bert_keras"),
    "fresh_heads": ("hugging_face", "--format=tf1", "--model=pretrainer", "--allow_fresh"),
}


def loading(size: str = "base", num_rounds: int = 7) -> dict[str, float]:
    """Seconds to load an encoder, and the ratio to reading its files and copying the bytes once.

    They are timed in turn with the files in the page cache, and the fastest of each counts; so is
    `from_pretrained`, which builds the model too.
    """
    from bert_keras.checkpoints.conversion.writing import WRITERS
    from bert_keras.checkpoints.formats.detection import read_weights
    from bert_keras.checkpoints.loading import load_weights
    from bert_keras.checkpoints.pretrained import from_pretrained
    from bert_keras.config import BertConfig
    from bert_keras.models.bert import bert

    model = bert(BertConfig.named(size))
    found = {}
    for name in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            WRITERS[name](_stored(model), folder)
            seconds, least_seconds, whole_seconds = _fastest(
                (
                    lambda folder: load_weights(model, read_weights(folder)),
                    _read_and_copy,
                    from_pretrained,
                ),
                folder,
                num_rounds,
            )
        found[f"{name}_seconds"] = seconds
        found[f"{name}_ratio"] = seconds / least_seconds
        found[f"{name}_from_pretrained_seconds"] = whole_seconds
    return found


def conversion_memory(size: str = "large") -> dict[str, float]:
    """Peaks of memory of the program that converts, as multiples of the bytes of its input.

    Converted are an encoder, there and back, one with Adam's moments, and one that gets the heads
    of pretraining, at random values.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        input_gb = _write_inputs(size, folder)
        output = Path(folder, "output")
        for name, (source, *options) in CONVERSIONS.items():
            command = [sys.executable, "-m", "bert_keras.run_conversion", *options]
            command += [f"--input={folder}/{source}", f"--output={output}"]
            found[f"{name}_ratio"] = machine.peak_memory_gb(command) / input_gb[source]
            shutil.rmtree(output)
    return found


def _write_inputs(size: str, folder: str) -> dict[str, float]:
    """Writes an encoder of random weights in each format, and one with moments.

    Returns:
        The gigabytes of the tensors in each of these folders.
    """
    from bert_keras.checkpoints.conversion.writing import WRITERS
    from bert_keras.config import BertConfig
    from bert_keras.models.bert import bert

    stored = _stored(bert(BertConfig.named(size)))
    written = {name: (stored, name) for name in FORMATS} | {SLOTS: (_with_slots(stored), "tf1")}
    for name, (model, format_name) in written.items():
        Path(folder, name).mkdir()
        WRITERS[format_name](model, f"{folder}/{name}")
    return {
        name: 4 * sum(map(math.prod, model.weights.shapes.values())) / 2**30
        for name, (model, _) in written.items()
    }


def _stored(model):
    """The model with the vocabulary of the sample, filled up to as many entries as it has rows."""
    from bert_keras.checkpoints.builders import config_of, stored_model_of
    from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

    vocab = WordPieceTokenizer(str(files("bert_keras") / "sample" / "vocab.txt")).vocab
    unused = range(len(vocab), config_of(model).vocab_size)
    vocab = vocab | {f"[unused{index}]": index for index in unused}
    return stored_model_of(model, WordPieceTokenizer(vocab))


def _with_slots(stored):
    """With moments that are as the weights are."""
    from bert_keras.checkpoints.names import ADAM_SLOTS

    slots = {f"{name}/{slot}": name for name in stored.weights.shapes for slot in ADAM_SLOTS}
    names = {name: name for name in stored.weights.shapes}
    weights = stored.weights.renamed(names | slots)
    return dataclasses.replace(stored, weights=weights)


def _read_and_copy(folder: str) -> None:
    for path in Path(folder).iterdir():
        bytearray(path.read_bytes())


def _fastest(functions: Sequence[Callable], folder: str, num_rounds: int) -> Iterator[float]:
    """The least seconds of each function of a folder; they take turns."""
    rounds = [
        [machine.seconds(functools.partial(function, folder)) for function in functions]
        for _ in range(num_rounds)
    ]
    return map(min, zip(*rounds, strict=True))
