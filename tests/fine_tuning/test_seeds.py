"""Several seeds: every run as if it were alone, the scores that statistics give, the best kept."""

import dataclasses
import json
import math

import numpy as np
import pytest

import bert_keras
from bert_keras.errors import InputError
from bert_keras.fine_tuning import job
from bert_keras.fine_tuning.seeds import run_seeds, summary
from bert_keras.training import run_folder
from bert_keras.training.stop import StopRequest
from tests.fine_tuning import letters, scripted

SCORES = {7: 0.5, 8: 0.75, 9: 0.25}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Settings that name a model."""
    return letters.write_model(tmp_path_factory.mktemp("model"))


def seeds_of(folder):
    return json.loads((folder / "seeds.json").read_text())


def scripted_run(model, folder, scores=SCORES, **changes):
    """Runs of three seeds; returns the results and the settings of what was run."""
    values = {"random_seed": 7, "num_seeds": 3} | changes
    setup, made = scripted.setup(lambda settings: scores[settings.random_seed], model["vocab_file"])
    with scripted.nothing_to_free():
        return run_seeds(setup, letters.settings(model, folder, **values)), made


def test_mean_and_sd_are_those_of_numpy(model, tmp_path):
    results, made = scripted_run(model, tmp_path)
    assert [settings.random_seed for settings in made] == list(SCORES)
    values = list(SCORES.values())
    assert results == {
        "eval_accuracy": pytest.approx(np.mean(values)),
        "eval_accuracy_sd": pytest.approx(np.std(values, ddof=1)),
        "other": 1.0,
        "other_sd": 0.0,
    }
    lines = (tmp_path / "eval_results.txt").read_text().splitlines()
    assert "eval_accuracy = 0.5" in lines and "eval_accuracy_sd = 0.25" in lines
    found = {seed: one["eval_accuracy"] for seed, one in seeds_of(tmp_path)["seeds"].items()}
    assert found == {str(seed): score for seed, score in SCORES.items()}


def test_the_model_of_the_best_seed_is_kept_and_predicts(model, tmp_path):
    _, made = scripted_run(model, tmp_path, do_predict=True)
    assert seeds_of(tmp_path)["best_seed"] == 8
    assert scripted.mark(tmp_path) == 0.75
    assert "--num_seeds=3" in (tmp_path / "README.md").read_text()
    assert [settings.do_predict for settings in made] == [False, False, False, True]
    assert made[-1].output_dir == str(tmp_path) and not made[-1].do_train


def test_the_table_has_a_row_for_each_seed_mean_and_sd(model, tmp_path, capsys):
    scripted_run(model, tmp_path)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells[0] == ["seed", "eval_accuracy", "other"]
    assert cells[2:] == [
        ["7", "0.5", "1"],
        ["8", "0.75", "1"],
        ["9", "0.25", "1"],
        ["mean", "0.5", "1"],
        ["sd", "0.25", "0"],
    ]


def test_a_stop_keeps_what_is_finished(model, tmp_path):
    stopped, _ = scripted_run(model, tmp_path, SCORES | {9: None})
    assert stopped is None
    assert not (tmp_path / "eval_results.txt").exists()
    results, made = scripted_run(model, tmp_path)
    assert [settings.random_seed for settings in made] == [9]
    assert results["eval_accuracy"] == 0.5


def test_more_seeds_are_added_to_finished_ones(model, tmp_path):
    scripted_run(model, tmp_path, num_seeds=2)
    _, made = scripted_run(model, tmp_path)
    assert [settings.random_seed for settings in made] == [9]
    assert seeds_of(tmp_path)["best_seed"] == 8


def test_results_of_other_flags_are_not_taken(model, tmp_path):
    scripted_run(model, tmp_path)
    _, made = scripted_run(model, tmp_path, save_checkpoints_steps=7)
    assert len(made) == 3
    with pytest.raises(InputError, match="holds the finished model of another command"):
        scripted_run(model, tmp_path, learning_rate=1e-5)


def test_more_seeds_are_added_to_those_that_there_are(model, tmp_path):
    scripted_run(model, tmp_path)
    _, made = scripted_run(model, tmp_path, {**SCORES, 10: 0.9}, num_seeds=4)
    assert [*seeds_of(tmp_path)["seeds"]] == ["7", "8", "9", "10"]
    assert seeds_of(tmp_path)["best_seed"] == 10


def test_two_commands_do_not_share_a_folder(model, tmp_path):
    with run_folder.lock(str(tmp_path)), pytest.raises(InputError, match="One run at a time"):
        scripted_run(model, tmp_path)


def test_a_score_that_is_no_number_never_wins(model, tmp_path):
    results, _ = scripted_run(model, tmp_path, {7: math.nan, 8: 0.1, 9: math.nan})
    assert seeds_of(tmp_path)["best_seed"] == 8
    assert math.isnan(results["eval_accuracy_sd"])


def test_scores_that_a_seed_lacks_have_no_mean():
    found = summary([{"f1": 0.5, "rare_f1": 1.0, "global_step": 3}, {"f1": 0.7, "global_step": 3}])
    assert set(found) == {"f1", "f1_sd"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"do_eval": False}, "--do_train and --do_eval"),
        ({"do_train": False}, "--do_train and --do_eval"),
        ({"max_hours": 1.5}, "--max_hours counts within one run.*1.5.*timeout"),
        ({"stop_after_steps": 4}, "--stop_after_steps counts within one run.*4"),
    ],
)
def test_flags_that_cannot_work_are_refused_before_anything_is_read(
    model, tmp_path, changes, message
):
    settings = letters.settings(model, tmp_path, num_seeds=3, **changes)
    with pytest.raises(InputError, match=message):
        job.run(settings, None, StopRequest())


def test_a_last_seed_that_is_none_is_refused(model, tmp_path):
    with pytest.raises(InputError, match="--random_seed must be at"):
        scripted_run(model, tmp_path, random_seed=2**31 - 2)


def test_the_folder_of_a_single_run_is_refused(model, tmp_path):
    (tmp_path / "model.ckpt-5.index").touch()
    with pytest.raises(InputError, match="holds the checkpoints of one run"):
        scripted_run(model, tmp_path)


@pytest.mark.slow
def test_real_runs_are_those_of_their_seeds_alone(model, tmp_path):
    def run(settings):
        return job.run(settings, letters.read_assignment, StopRequest())

    several, alone = tmp_path / "several", tmp_path / "alone"
    settings = letters.settings(model, several, num_seeds=2, random_seed=7, do_predict=True)
    run(settings)
    seeds = seeds_of(several)
    results = run(letters.settings(model, alone, random_seed=8))
    assert results == seeds["seeds"]["8"]
    assert results != seeds["seeds"]["7"]
    best = seeds["best_seed"]
    kept, _ = bert_keras.from_pretrained(several, bert_keras.classifier)
    expected, _ = bert_keras.from_pretrained(several / f"seed_{best}", bert_keras.classifier)
    for ours, theirs in zip(kept.weights, expected.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    assert len((several / "answers.txt").read_text().splitlines()) == letters.NUM_EVALUATED
    again = run(dataclasses.replace(settings, num_seeds=1, do_train=False, do_predict=False))
    assert again["eval_accuracy"] == seeds["seeds"][str(best)]["eval_accuracy"]
