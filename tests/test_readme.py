"""The Python of these pages runs as printed, where small models lie at the paths that they name."""

import re
from pathlib import Path

import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.conversion.writing import WRITERS
from tests.checkpoints import stored_models

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
FORMATS = {
    "path/to/uncased_L-12_H-768_A-12": "tf1",
    "path/to/bert-base-uncased": "hugging_face",
    "my_bert": "bert_keras",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with a model in each of the three formats."""
    for name, format_name in FORMATS.items():
        (tmp_path / name).mkdir(parents=True)
        WRITERS[format_name](stored_models.stored(), str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(text: str) -> dict:
    """Runs the blocks of a text one after the other; returns the names that they leave."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    return names


def test_the_front_page_trains_a_classifier_on_the_weights_of_others():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.split("\n## Bring your weights, take them away\n")[1].split("\n## ")[0]
    names = run(section)
    model = names["model"]
    assert model.get_layer("embeddings").config.labels == ("negative", "positive")
    assert model.optimizer.iterations == 3  # epochs of one batch
    logits = model.predict(names["batches"], verbose=0)["logits"]
    assert logits.shape == (6, 2) and np.isfinite(logits).all()


def test_the_front_page_answers(folder):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    stored_models.write(stored_models.stored("classifier"), folder / "my_topics", "bert_keras")
    predictor = run(page.split("\n## Answer\n")[1].split("\n## ")[0])["predictor"]
    assert predictor.predict("a b").label in stored_models.CONFIG.labels


def test_the_page_about_weights_reads_every_format_and_writes_a_classifier(folder):
    names = run((ROOT / "bert_keras" / "checkpoints" / "README.md").read_text(encoding="utf-8"))
    loaded, _ = bert_keras.from_pretrained("my_classifier", bert_keras.classifier)
    assert loaded.get_layer("embeddings").config.labels == ("no", "yes")
    for written, kept in zip(loaded.weights, names["model"].weights, strict=True):
        np.testing.assert_array_equal(written, kept)
    assert "Trained on my reviews." in (folder / "my_classifier" / "README.md").read_text()
