"""The rows that need no other library, on a tiny model: both embed texts alike."""

import numpy as np
import pytest

from experiments import serving_speed
from tests.serving.exports import write_model


def test_texts_are_those_of_both_columns_the_shortest_first(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("sentence1\tsentence2\na b c\td e\nf\tg h i j\n")
    assert serving_speed.read_texts(str(path), 3) == ["f", "d e", "a b c"]


def test_the_best_of_all_turns_counts():
    turns = [{"p50_ms": 2.0, "texts_per_second": 5.0}, {"p50_ms": 3.0, "texts_per_second": 7.0}]
    assert serving_speed.best(turns) == {"p50_ms": 2.0, "texts_per_second": 7.0}


def test_the_ceiling_is_that_of_products_as_long_as_the_texts(tmp_path, monkeypatch):
    model = write_model(tmp_path / "model", "bert")
    monkeypatch.setattr(serving_speed, "matmul_flops_per_second", lambda: 1e9)
    short, long = (serving_speed.ceiling(model, [text] * 3) for text in ("a", "a b c d e"))
    assert short > 2 * long > 0  # 3 tokens against 7


@pytest.mark.slow
def test_an_export_and_python_embed_texts_alike(tmp_path):
    model = write_model(tmp_path / "model", "bert")
    texts = ["a", "b c", "d e a"] * 15
    found = {}
    for row in ("saved_model", "predictor"):
        figures, found[row] = serving_speed.measure(row, model, texts, num_calls=4)
        assert 0 < figures["p50_ms"] <= figures["p99_ms"]
        assert min(figures.values()) > 0 and "mixed_texts_per_second" in figures
    assert len(found["predictor"]) == len(texts)
    np.testing.assert_allclose(found["saved_model"], found["predictor"], atol=1e-5)
