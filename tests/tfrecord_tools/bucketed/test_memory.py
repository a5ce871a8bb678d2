"""Memory does not follow the corpus (google-research/bert#117, #784, #1270)."""

from pathlib import Path

import pytest

from experiments.record_building import memory

SAMPLE = Path(__file__).parents[3] / "bert_keras" / "sample"


@pytest.mark.slow
def test_eight_times_the_text_takes_no_more_than_half_as_much_memory_again():
    figures = memory(SAMPLE / "corpus.txt", SAMPLE / "vocab.txt", megabytes=2)
    assert 0.05 < figures["peak_memory_gb"] < 0.5
    assert figures["ratio"] <= 1.5
