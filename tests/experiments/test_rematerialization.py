"""The experiment runs, and its rows hold what it says."""

import json

import pytest

from experiments import rematerialization


@pytest.mark.slow
def test_a_second_pass_takes_less_memory(tmp_path, monkeypatch):
    names = ("float32", "float32_rematerialized")
    rows = {name: rematerialization.ROWS[name] for name in names}
    monkeypatch.setattr(rematerialization, "ROWS", rows)
    settings = rematerialization.Settings(
        size="mini",
        batch_size=4,
        max_seq_length=512,
        num_steps=1,
        output_file=str(tmp_path / "result.json"),
    )
    rematerialization.main(settings)
    rows = json.loads((tmp_path / "result.json").read_text())["rows"]
    kept, again = (rows[name]["memory_of_the_step_gb"] for name in names)
    assert again < 0.95 * kept  # the logits of the words take most of it: Mini has four blocks
