"""The comparison is fair, and its result is whole or as it was."""

import dataclasses
import json

import pytest

from experiments import pretrained_or_random as experiment


@pytest.fixture
def settings(tmp_path):
    return experiment.Settings(
        pretrained_dir="mini",
        data_dir="glue",
        output_dir=str(tmp_path / "runs"),
        result_file=str(tmp_path / "results" / "result.json"),
    )


@pytest.mark.parametrize("task", experiment.TASKS)
def test_the_runs_differ_in_their_first_weights_alone(settings, task):
    random, pretrained = (
        dataclasses.asdict(experiment.run_settings(settings, task, start))
        for start in experiment.STARTS
    )
    differing = {name for name in random if random[name] != pretrained[name]}
    assert differing == {"init_checkpoint", "output_dir"}
    assert random["init_checkpoint"] is None


def score_of(task, start):
    mean = 0.9 if start == "pretrained" else 0.5
    return {"mean": mean, "sd": 0.1, "seeds": {"1": mean - 0.1, "2": mean, "3": mean + 0.1}}


def test_the_result_and_its_picture_are_kept(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "scores", lambda _, task, start, stop: score_of(task, start))
    assert experiment.main(settings) == 0
    text = (tmp_path / "results" / "result.json").read_text()
    assert str(tmp_path) not in text
    assert list(json.loads(text)["tasks"]) == list(experiment.TASKS)
    assert (tmp_path / "results" / "result.png").read_bytes().startswith(b"\x89PNG")


def test_a_stopped_comparison_leaves_no_result(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "scores", lambda *_: None)
    experiment.main(settings)
    assert not (tmp_path / "results").exists()
