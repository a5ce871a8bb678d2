"""A rehearsal of the kept run: two steps on a corpus of a few sentences."""

import json
import signal

import pytest

from experiments import pretrain_mini

SENTENCES = [f"The {noun} of the town was old.\nIt stood near the river.\n" for noun in "abcdef"]


def test_the_time_of_training_is_that_of_all_its_reports():
    curve = [
        {"step": 10, "examples_per_second": 32.0},
        {"step": 30, "examples_per_second": 16.0},
    ]
    assert pretrain_mini.minutes(curve, batch_size=32) == pytest.approx((10 + 40) / 60)


def test_a_stopped_training_leaves_the_kept_result_alone(tmp_path, monkeypatch):
    def be_stopped(settings, stop):
        assert settings.do_train  # no evaluation of the unfinished run
        stop.received = signal.SIGTERM

    monkeypatch.setattr(pretrain_mini, "make_records", lambda settings: None)
    monkeypatch.setattr(pretrain_mini.job, "run", be_stopped)
    result_file = tmp_path / "mini.json"
    result_file.write_text("kept")
    settings = pretrain_mini.Settings(
        corpus_dir=str(tmp_path), output_dir=str(tmp_path), result_file=str(result_file)
    )
    assert pretrain_mini.main(settings) == 0
    assert result_file.read_text() == "kept"


@pytest.mark.slow
def test_a_rehearsal_leaves_a_result_that_names_no_folder_of_this_machine(tmp_path):
    for part in pretrain_mini.PARTS:
        (tmp_path / f"{part}.txt").write_text("\n".join(SENTENCES))
    result_file = tmp_path / "results" / "mini.json"
    pretrain_mini.main(
        pretrain_mini.Settings(
            corpus_dir=str(tmp_path),
            output_dir=str(tmp_path / "run"),
            result_file=str(result_file),
            num_train_steps=2,
        )
    )
    text = result_file.read_text()
    result = json.loads(text)
    assert str(tmp_path) not in text
    assert result["held_out"]["global_step"] == 2
    assert set(result["baselines"]) < set(result["held_out"])
    assert result_file.with_suffix(".png").stat().st_size > 10_000
