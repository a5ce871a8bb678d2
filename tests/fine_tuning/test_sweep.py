"""A sweep: every cell once, the best first in the table, its model kept."""

import json

import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning.sweep import Grid, run_sweep
from tests.fine_tuning import letters, scripted

GRID = Grid(train_batch_size=[16, 32], learning_rate=[5e-5, 2e-5], num_train_epochs=[2.0])
BEST = "batch_32_rate_5e-05_epochs_2"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return letters.write_model(tmp_path_factory.mktemp("model"))


def score(settings):
    """Best for batches of 32 at the higher rate; a later seed scores less."""
    points = settings.train_batch_size / 100 + settings.learning_rate * 1000
    return round(points - 0.01 * (settings.random_seed - letters.settings({}, "").random_seed), 6)


def swept(model, folder, score=score, grid=GRID, **changes):
    """Returns the results and the settings of what was run."""
    setup, made = scripted.setup(score, model["vocab_file"])
    with scripted.nothing_to_free():
        return run_sweep(grid, setup, letters.settings(model, folder, **changes)), made


def test_every_cell_is_run_once_in_its_folder(model, tmp_path):
    _, made = swept(model, tmp_path)
    cells = [(run.train_batch_size, run.learning_rate, run.num_train_epochs) for run in made]
    assert cells == [(16, 5e-5, 2.0), (16, 2e-5, 2.0), (32, 5e-5, 2.0), (32, 2e-5, 2.0)]
    assert made[2].output_dir == str(tmp_path / BEST)


def test_the_best_cell_is_returned_kept_and_predicts(model, tmp_path):
    results, made = swept(model, tmp_path, do_predict=True)
    assert results["eval_accuracy"] == 0.37
    assert scripted.mark(tmp_path) == pytest.approx(0.37)
    assert "train_batch_size=32, learning_rate=5e-05" in (tmp_path / "README.md").read_text()
    assert "eval_accuracy = 0.37\n" in (tmp_path / "eval_results.txt").read_text()
    assert made[-1].output_dir == str(tmp_path) and made[-1].do_predict


def test_the_table_has_the_best_first(model, tmp_path, capsys):
    swept(model, tmp_path)
    table = (tmp_path / "sweep.md").read_text()
    assert table in capsys.readouterr().out
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    flags = ["train_batch_size", "learning_rate", "num_train_epochs"]
    assert rows[0] == [*flags, "eval_accuracy", "other"]
    assert [row[3] for row in rows[2:]] == ["0.37", "0.34", "0.21", "0.18"]
    assert rows[2][:3] == ["32", "5e-05", "2"]
    cells = json.loads((tmp_path / "sweep.json").read_text())["cells"]
    assert cells[0]["cell"] == {
        "train_batch_size": 32,
        "learning_rate": 5e-5,
        "num_train_epochs": 2.0,
    }


def test_a_stopped_sweep_goes_on_where_it_was(model, tmp_path, capsys):
    results, _ = swept(model, tmp_path, lambda run: None if run.train_batch_size > 16 else 0.9)
    assert results is None
    assert not (tmp_path / "sweep.md").exists()
    _, made = swept(model, tmp_path)
    assert [run.train_batch_size for run in made] == [32, 32]
    assert "cell 4 of 4" in capsys.readouterr().err
    assert len((tmp_path / "sweep.md").read_text().splitlines()) == 6


def test_a_cell_of_several_seeds_counts_by_their_mean(model, tmp_path):
    grid = GRID._replace(learning_rate=[5e-5])
    results, made = swept(model, tmp_path, grid=grid, num_seeds=2)
    assert len(made) == 4
    assert results["eval_accuracy"] == pytest.approx(0.365)
    assert scripted.mark(tmp_path) == pytest.approx(0.37)  # of its better seed
    assert "eval_accuracy_sd" in (tmp_path / "sweep.md").read_text()


def test_a_cell_that_cannot_work_is_refused_before_the_first_run(model, tmp_path):
    setup, made = scripted.setup(score, model["vocab_file"])
    grid = GRID._replace(train_batch_size=[16, 15])
    settings = letters.settings(model, tmp_path, gradient_accumulation_steps=2)
    with pytest.raises(InputError, match="train_batch_size.*15"):
        run_sweep(grid, setup, settings)
    with pytest.raises(InputError, match="learning_rate must be positive"):
        run_sweep(GRID._replace(learning_rate=[5e-5, 0.0]), setup, settings)
    assert made == []
