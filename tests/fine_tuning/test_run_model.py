"""Which model of a folder is taken, and that none is lost."""

import dataclasses
from pathlib import Path

import pytest

from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.errors import InputError
from bert_keras.fine_tuning import run_model
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.models.classifier import classifier
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import run_folder
from tests.checkpoints import stored_models

DECISIVE = {"learning_rate": 1e-3, "num_train_steps": 4}


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer(stored_models.vocabulary())


@pytest.fixture(scope="module")
def model():
    return classifier(stored_models.CONFIG)


@pytest.fixture
def finished(tmp_path):
    """A folder with a model of ours."""
    stored_models.write(stored_models.stored("classifier"), tmp_path / "finished", "bert_keras")
    return str(tmp_path / "finished")


def test_a_training_begins_with_the_model_that_is_named(finished, tmp_path):
    settings = FineTuningSettings(
        do_train=True, init_checkpoint=finished, output_dir=str(tmp_path / "new")
    )
    assert run_model.read_model(settings).config.labels == ("no", "maybe", "yes")


def test_an_evaluation_takes_the_model_of_its_folder(finished, capsys):
    settings = FineTuningSettings(do_eval=True, output_dir=finished, init_checkpoint="elsewhere")
    assert run_model.read_model(settings).config.labels == ("no", "maybe", "yes")
    assert "is used, and not --init_checkpoint" in capsys.readouterr().err


def test_there_may_be_nothing_to_evaluate(tmp_path):
    (tmp_path / "config.json").write_text(stored_models.CONFIG.to_json_string())
    (tmp_path / "vocab.txt").write_text("\n".join(stored_models.VOCABULARY))
    settings = FineTuningSettings(
        do_eval=True,
        output_dir=str(tmp_path / "none"),
        bert_config_file=str(tmp_path / "config.json"),
        vocab_file=str(tmp_path / "vocab.txt"),
    )
    with pytest.raises(InputError, match="There is no model to run"):
        run_model.read_model(settings)
    # For a training these files are enough.
    assert run_model.read_model(dataclasses.replace(settings, do_train=True)).weights is None


def test_a_model_that_no_run_made_is_not_lost(model, tokenizer, finished):
    with pytest.raises(InputError, match="holds another model"):
        run_model.describe(stored_model_of(model, tokenizer), finished, DECISIVE)
    with pytest.raises(InputError, match="holds another model"):
        run_model.check_free(finished, "seeds.json")


def test_the_model_of_another_command_is_not_lost(model, tokenizer, finished):
    run_folder.write_settings(finished, DECISIVE | {"learning_rate": 1e-4})
    with pytest.raises(InputError, match="model of another command"):
        run_model.describe(stored_model_of(model, tokenizer), finished, DECISIVE)
    run_folder.write_settings(finished, DECISIVE)
    run_model.describe(stored_model_of(model, tokenizer), finished, DECISIVE)


def test_a_new_run_says_what_its_checkpoints_are(model, tokenizer, tmp_path):
    run_model.describe(stored_model_of(model, tokenizer), str(tmp_path), DECISIVE)
    assert not run_model.holds_model(str(tmp_path))  # not before there is a checkpoint
    assert {"config.json", "vocab.txt"} <= {path.name for path in tmp_path.iterdir()}


def test_the_step_of_a_model_is_that_at_which_it_was_kept(finished, capsys):
    assert run_model.step_of_model(finished) == 0  # nobody trained it here
    run_model.note_kept(finished, 4)
    assert run_model.step_of_model(finished) == 4
    assert not capsys.readouterr().err


def test_steps_beyond_the_model_are_said(finished, capsys):
    run_model.note_kept(finished, 4)
    (Path(finished) / "model.ckpt-7.index").write_bytes(b"")
    assert run_model.step_of_model(finished) == 4
    assert "went on to step 7; its model is that of step 4" in capsys.readouterr().err


def test_a_note_without_its_number_is_refused(finished):
    (Path(finished) / "finished_model.json").write_text("{}")
    with pytest.raises(InputError, match="must hold a number, `global_step`. Received: None"):
        run_model.step_of_model(finished)


def test_another_model_never_stands_in_for_that_of_a_run_that_was_cut_off(finished, tmp_path):
    (tmp_path / "model.ckpt-3.index").write_bytes(b"")
    settings = FineTuningSettings(
        do_predict=True, output_dir=str(tmp_path), init_checkpoint=finished
    )
    with pytest.raises(InputError, match="was killed while it put that there"):
        run_model.read_model(settings)


def test_the_model_of_an_unfinished_run_is_named_as_such(tmp_path, capsys):
    (tmp_path / "model.ckpt-3.index").write_bytes(b"")
    assert run_model.step_of_model(str(tmp_path)) == 3
    assert "is not finished: its model is that of step 3" in capsys.readouterr().err
