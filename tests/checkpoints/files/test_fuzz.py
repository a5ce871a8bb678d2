"""Mutants of files of weights are refused, or read to the last bit: nothing else ever happens."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

from tests.checkpoints.files import fuzzing


@pytest.mark.parametrize("kind", ["bundle", "bundles", "foreign", "shards", "single"])
def test_some_mutants(kind, tmp_path):
    (tmp_path / "originals").mkdir()
    original = fuzzing.originals(tmp_path / "originals")[kind]
    weights = original.open_weights(tmp_path / "originals" / kind)
    expected = {name: np.array(weights.read(name)) for name in weights.shapes}
    every_hundredth = itertools.islice(fuzzing.all_mutants(original, 1500, seed=0), 0, None, 100)
    for number, mutant in enumerate(every_hundredth):
        folder = tmp_path / str(number)
        folder.mkdir()
        fuzzing.outcome(folder, original, expected, mutant)


@pytest.mark.slow
def test_all_mutants_in_a_process_with_little_memory(tmp_path):
    command = [sys.executable, "-m", "tests.checkpoints.files.fuzzing", str(tmp_path), "300", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    *faults, counts = result.stdout.splitlines()
    assert not faults
    counts = json.loads(counts)
    assert counts["total"] > 5_000
    for kind in ("bundle", "bundles", "foreign", "shards", "single"):
        assert counts[f"{kind} refused"] > 800
        assert counts[f"{kind} same"] > 0
