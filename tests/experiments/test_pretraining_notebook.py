"""The notebook runs from top to bottom, and its loss falls."""

import os
import pathlib
import sys

import nbformat
import pytest
from nbclient import NotebookClient

PATH = pathlib.Path(__file__).parents[2] / "experiments" / "pretraining.ipynb"
FEW_STEPS = {
    "NUM_EPOCHS = 20": "NUM_EPOCHS = 2",
    "STEPS_PER_EPOCH = 50": "STEPS_PER_EPOCH = 10",
    "dupe_factor=5": "dupe_factor=1",
    "batch_size=32, epochs=3": "batch_size=32, epochs=1",
}


@pytest.mark.slow
def test_the_notebook_runs_with_few_steps(monkeypatch):
    notebook = nbformat.read(PATH, as_version=4)
    for long, short in FEW_STEPS.items():
        assert any(long in cell.source for cell in notebook.cells)
        for cell in notebook.cells:
            cell.source = cell.source.replace(long, short)
    notebook.cells.append(nbformat.v4.new_code_cell('print(*history["masked_lm_loss"])'))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    first, last = notebook.cells[-1].outputs[0].text.split()
    assert float(last) < float(first)
    figures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(figures) == 1


def test_the_stored_results_are_those_of_a_whole_run():
    notebook = nbformat.read(PATH, as_version=4)
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    results = next(output.data["text/plain"] for output in shown if "loss" in str(output.data))
    assert "masked_lm_loss" in results
    assert not [output for output in shown if output.output_type in ("error", "stream")]
    assert PATH.stat().st_size < 60_000
