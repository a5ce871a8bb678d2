"""A fine-tuning from start to end: it learns, goes on, and answers the same however it is cut."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import bert_keras
from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.errors import InputError
from bert_keras.fine_tuning import job
from bert_keras.fine_tuning.assignment import Evaluation
from bert_keras.models.bert import bert
from bert_keras.training import run_state
from bert_keras.training.stop import StopRequest
from tests.checkpoints import stored_models
from tests.fine_tuning import letters


def run(settings):
    return job.run(settings, letters.read_assignment, StopRequest())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Settings that name a model."""
    return letters.write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def finished(model, tmp_path_factory):
    """A finished run: its settings and its results."""
    settings = letters.settings(model, tmp_path_factory.mktemp("run"), num_train_epochs=4.0)
    return settings, run(settings)


def weights(folder, step):
    reader = tf.train.load_checkpoint(run_state.checkpoint_path(str(folder), step))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def test_a_model_learns_its_task(finished):
    _, results = finished
    assert results["eval_accuracy"] > 0.9
    assert results["global_step"] == 24  # 96 examples, 4 times, 16 in a batch


def test_the_finished_model_explains_itself(finished):
    settings, _ = finished
    model, tokenizer = bert_keras.from_pretrained(settings.output_dir, bert_keras.classifier)
    assert model.get_layer("classifier").output_weights.shape == (2, 16)
    assert tokenizer.vocab_size == len(letters.TOKENS)


@pytest.mark.parametrize("batch_size", [1, 5, 33, 64])
def test_the_results_are_those_of_every_batch_size(finished, batch_size):
    settings, results = finished
    again = run(dataclasses.replace(settings, do_train=False, eval_batch_size=batch_size))
    assert again["eval_accuracy"] == results["eval_accuracy"]
    assert again["total_of_logits"] == pytest.approx(results["total_of_logits"], rel=1e-5)


def test_an_answer_for_every_row(finished, tmp_path):
    settings, results = finished
    run(dataclasses.replace(settings, do_train=False, do_eval=False, do_predict=True))
    answers = tf.io.gfile.GFile(f"{settings.output_dir}/answers.txt").read().splitlines()
    expected = letters.examples(letters.NUM_EVALUATED, seed=2).values["label_ids"]
    correct = [letters.LABELS[label] for label in expected]
    assert len(answers) == len(correct)
    accuracy = np.mean([a == c for a, c in zip(answers, correct, strict=True)])
    assert accuracy == pytest.approx(results["eval_accuracy"])


def test_a_finished_folder_says_its_task_and_other_lengths_are_said(finished, capsys):
    settings, _ = finished
    stored = json.loads(Path(settings.output_dir, "task.json").read_text())
    assert stored == {"task": "classification", "max_seq_length": 24, "is_pair": False}
    run(dataclasses.replace(settings, do_train=False, max_seq_length=20))
    assert "made with max_seq_length=24; now it is 20" in capsys.readouterr().err


@pytest.mark.slow
def test_a_stopped_run_goes_on_as_if_it_had_not_been(model, tmp_path):
    whole = letters.settings(model, tmp_path / "whole")
    parts = letters.settings(model, tmp_path / "parts")
    run(whole)
    assert run(dataclasses.replace(parts, stop_after_steps=7)) is None
    run(parts)
    expected, found = weights(tmp_path / "whole", 12), weights(tmp_path / "parts", 12)
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_another_command_does_not_go_on(finished):
    settings, _ = finished
    with pytest.raises(InputError, match="of another run .another --learning_rate.. Use a new"):
        run(dataclasses.replace(settings, learning_rate=1e-3))


@pytest.mark.slow
def test_the_best_weights_are_kept(model, tmp_path):
    settings = letters.settings(model, tmp_path, num_train_epochs=20.0, early_stopping_epochs=3)
    results = run(settings)
    log = (tmp_path / "evaluations.json").read_text()
    scores = {int(step): score for step, score in json.loads(log)["scores"].items()}
    assert results["eval_accuracy"] == max(scores.values()) == scores[results["global_step"]]
    assert max(scores) <= results["global_step"] + 3 * 6
    assert run(settings) == results  # the same command finds the run to be over


@pytest.mark.slow
def test_a_run_that_was_killed_while_it_put_its_model_goes_on(model, tmp_path):
    settings = letters.settings(model, tmp_path / "run", do_predict=True)
    results = run(settings)
    (tmp_path / "run" / ".unfinished").mkdir()
    (tmp_path / "run" / ".unfinished" / ".lock").touch()
    (tmp_path / "run" / "config.json").rename(tmp_path / "run" / ".unfinished" / "config.json")
    assert run(settings) == results
    assert (tmp_path / "run" / "config.json").exists()
    assert not (tmp_path / "run" / ".unfinished").exists()


def test_a_stop_before_the_predictions_is_said(model, tmp_path, capsys):
    settings = letters.settings(model, tmp_path, do_predict=True)
    with StopRequest() as stop:

        def read_assignment(*arguments):
            assignment = letters.read_assignment(*arguments)
            examples, score = assignment.evaluations["dev"]

            def last_score(outputs):
                stop.request("SIGTERM")
                return score(outputs)

            return dataclasses.replace(
                assignment, evaluations={"dev": Evaluation(examples, last_score)}
            )

        job.run(settings, read_assignment, stop)
    assert "Stopped by SIGTERM: dev is not predicted" in capsys.readouterr().err
    assert not (tmp_path / "answers.txt").exists()
    run(settings)
    assert (tmp_path / "answers.txt").exists()


@pytest.mark.parametrize("name", ["a [1]", "file/run"])
def test_a_folder_that_cannot_be_one_is_refused_before_anything_is_read(name, model, tmp_path):
    (tmp_path / "file").write_text("")
    settings = letters.settings(model, tmp_path / name)
    with StopRequest() as stop, pytest.raises(InputError, match=r"must not hold|takes no files"):
        job.run(settings, lambda *_: 1 / 0, stop)
    assert not (tmp_path / "a [1]").exists()


def test_a_head_of_random_numbers_answers_nothing(model, tmp_path):
    pretrained = tmp_path / "pretrained"
    stored = stored_model_of(bert(letters.CONFIG), letters.tokenizer(model))
    stored_models.write(stored, pretrained, "bert_keras")
    settings = letters.settings(
        {"init_checkpoint": str(pretrained), "max_seq_length": 24},
        tmp_path / "mistyped",
        do_train=False,
        do_predict=True,
    )
    with pytest.raises(InputError, match="cannot be used before it is trained"):
        run(settings)
    assert not (tmp_path / "mistyped").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"do_train": False, "do_eval": False}, "At least one of `do_train`"),
        ({"max_seq_length": 100}, "must not exceed max_position_embeddings=24"),
        ({"vocab_file": None}, "a file without the other"),
        ({"learning_rate_schedule": "cosine"}, "must be one of original"),
        ({"num_train_epochs": 0.0}, "--num_train_epochs must be positive"),
        ({"num_frozen_layers": 3}, "--num_frozen_layers must be at most 2"),
    ],
)
def test_settings_that_cannot_work(model, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        run(dataclasses.replace(letters.settings(model, tmp_path), **changes))
