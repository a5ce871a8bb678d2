"""The comparison with the Rust trainer, on the sample corpus."""

import json
from importlib.resources import files

import pytest

from experiments import vocabulary_learning
from experiments.vocabulary_learning import Settings

CORPUS = str(files("bert_keras") / "sample" / "corpus.txt")


@pytest.mark.slow
def test_vocabularies_are_compared(tmp_path):
    output = tmp_path / "results.json"
    settings = Settings([CORPUS], vocab_size=2000, num_runs=2, output_file=str(output))
    vocabulary_learning.main(settings)
    results = json.loads(output.read_text())
    assert results["ours"]["num_different_vocabularies"] == 1
    tokens_per_word = results["ours"]["tokens_per_word"]
    assert tokens_per_word == pytest.approx(results["rust"]["tokens_per_word"], rel=0.02)
