"""Opens mutants of files of weights, and says what became of them.

As a program it runs with little memory, and a signal ends it when a mutant takes too long.
"""

import json
import random
import resource
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import safetensors.numpy

from bert_keras.checkpoints.files import bundle, safetensors_files, stored_tensor
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from tests.checkpoints.files import mutants

MEMORY = 2**28  # bytes beyond those of the libraries
SECONDS = 5  # for one mutant
MOST_ROWS = 2**20  # what a program may take memory for before it reads values


class Original(NamedTuple):
    files: mutants.Files
    open_weights: Callable[[Path], Weights]
    knowing: Callable[[mutants.Files], Iterator[mutants.Mutant]]
    mutable: dict[str, range]


def originals(folder: Path) -> dict[str, Original]:
    """Each kind of checkpoint, written to `folder`."""
    generator = np.random.default_rng(5)
    shapes = {
        "a/kernel": (3, 4),
        "b/bias": (5,),
        "c/table": (7, 3),
        "d/scalar": (),
        "e/empty": (0,),
    }
    values = {
        name: np.asarray(generator.normal(size=shape), "f4") for name, shape in shapes.items()
    }
    values["global_step"] = np.asarray(7)
    half = {
        "f/half": generator.normal(size=(4, 2)).astype("f2"),
        "g/brain": generator.normal(size=6).astype(ml_dtypes.bfloat16),
    }
    weights = Weights("", {name: value.shape for name, value in values.items()}, values.get)
    for kind in ("bundle", "bundles", "single", "shards", "foreign"):
        (folder / kind).mkdir()
    bundle.write(f"{folder}/bundle/x", values | half)
    bundle.write(f"{folder}/bundles/x", values | half, 80)
    safetensors_files.write(f"{folder}/single", weights)
    safetensors_files.write(f"{folder}/shards", weights, 80)
    safetensors.numpy.save_file(
        values | half, folder / "foreign/model.safetensors", {"format": "pt"}
    )
    return {path.name: _original(path) for path in sorted(folder.iterdir())}


def _original(folder: Path) -> Original:
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    mutable = {name: range(len(content)) for name, content in files.items()}
    if folder.name.startswith("bundle"):
        return Original(
            files, lambda path: bundle.open_weights(path / "x"), mutants.of_bundle, mutable
        )
    if folder.name == "foreign":  # nothing shows that values were altered
        header_end = 8 + int.from_bytes(files["model.safetensors"][:8], "little")
        mutable = {"model.safetensors": range(header_end)}
    return Original(files, safetensors_files.open_weights, mutants.of_safetensors, mutable)


def all_mutants(original: Original, num_blind: int, seed: int) -> Iterator[mutants.Mutant]:
    """Every knowing mutant, and so many blind ones."""
    yield from original.knowing(original.files)
    generator = random.Random(seed)
    # In headers without checksums a blind change may hit a name.
    keeps_names = original.mutable.keys() == original.files.keys() and all(
        len(original.files[name]) == len(where) for name, where in original.mutable.items()
    )
    for _ in range(num_blind):
        mutant = mutants.blind(original.files, generator, original.mutable)
        yield mutant._replace(keeps_names=keeps_names)


def outcome(folder: Path, original: Original, expected: dict, mutant: mutants.Mutant) -> str:
    """Returns "refused" or "same"; raises AssertionError if values are others, and what it meets.

    Args:
        folder: an empty one, for the files.
        original: of which it is a mutant.
        expected: the values of the original.
        mutant: what is opened and read.
    """
    for name, content in mutant.files.items():
        (folder / name).write_bytes(content)
    found = {}
    try:
        weights = original.open_weights(folder)
        for name, shape in weights.shapes.items():
            assert max(shape, default=0) <= MOST_ROWS
            found[name] = np.array(weights.read(name))
            assert found[name].shape == shape
            assert not mutant.keeps_names or is_same(found[name], expected.get(name)), name
    except InputError:
        return "refused"
    if mutant.keeps_names:
        assert found.keys() == expected.keys()
    else:
        assert sorted(value.tobytes() for value in found.values()) == sorted(
            value.tobytes() for value in expected.values()
        )
    return "same"


def is_same(value: np.ndarray, expected: np.ndarray | None) -> bool:
    """Whether shape and every bit agree."""
    return (
        expected is not None
        and value.shape == expected.shape
        and value.tobytes() == expected.tobytes()
    )


def main(folder: Path, num_blind: int, seed: int) -> None:
    """Prints a line for each fault, and then the counts and the memory taken, in JSON."""
    (folder / "originals").mkdir()
    kinds = originals(folder / "originals")
    mutated = folder / "mutated"
    counts, total = Counter(), 0
    stored_tensor.LEAST_MAPPED = 50  # of these small tensors some are mapped, and some are not
    size = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    for kind, original in kinds.items():
        weights = original.open_weights(folder / "originals" / kind)
        expected = {name: np.array(weights.read(name)) for name in weights.shapes}
        for mutant in all_mutants(original, num_blind, seed):
            mutated.mkdir()
            signal.alarm(SECONDS)
            try:
                counts[f"{kind} {outcome(mutated, original, expected, mutant)}"] += 1
            except Exception as error:
                print(f"{kind}: {mutant.what}: {error!r}", flush=True)
            signal.alarm(0)
            shutil.rmtree(mutated)
            total += 1
    print(json.dumps({"total": total, **counts}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
