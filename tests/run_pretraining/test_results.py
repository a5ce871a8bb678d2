"""What a run leaves: checkpoints, reports, results, and a model that loads."""

import dataclasses
import json
import re
import shlex

import numpy as np
import pytest

from bert_keras import from_pretrained
from bert_keras.pretraining import job
from bert_keras.run_pretraining import main
from bert_keras.training import run_state
from tests.run_pretraining.inputs import settings_for


@pytest.fixture(scope="module")
def finished(inputs, tmp_path_factory):
    """Settings of a run of 8 steps that is done and evaluated."""
    settings = settings_for(inputs, tmp_path_factory.mktemp("runs") / 'a "run"')
    settings = dataclasses.replace(
        settings, do_eval=True, max_eval_steps=0, vocab_file=str(inputs / "vocab.txt")
    )
    assert main(settings) == 0
    return settings


def read(settings, name):
    with open(f"{settings.output_dir}/{name}") as file:
        return file.read()


def test_checkpoints_are_those_of_the_steps_asked_for(finished):
    assert run_state.saved_steps(finished.output_dir) == [2, 4, 6, 8]


def test_results_are_the_originals(finished):
    results = re.findall(r"^(\w+) = (\S+)$", read(finished, "eval_results.txt"), re.MULTILINE)
    assert [name for name, _ in results] == [
        "global_step",
        "loss",
        "masked_lm_accuracy",
        "masked_lm_loss",
        "next_sentence_accuracy",
        "next_sentence_loss",
    ]
    values = {name: float(value) for name, value in results}
    assert values["global_step"] == 8
    loss = values["masked_lm_loss"] + values["next_sentence_loss"]
    assert values["loss"] == pytest.approx(loss, rel=1e-6)


@pytest.mark.parametrize(
    ("max_steps", "said"),
    [
        (6, "evaluated on 48 of 50 records (--max_eval_steps=6; 0 takes all)"),
        (7, None),  # 56 records would fit
        (0, None),
    ],
)
def test_an_evaluation_says_how_much_it_left_out(finished, max_steps, said, capsys):
    only = dataclasses.replace(finished, do_train=False, max_eval_steps=max_steps)
    assert main(only) == 0
    error = capsys.readouterr().err
    assert said in error if said else "evaluated on" not in error


@pytest.mark.parametrize("obstacle", ["damage", "size"])
def test_an_evaluation_of_what_cannot_be_counted(finished, tmp_path, obstacle, capsys, monkeypatch):
    """What lies behind the evaluated part is of no matter, neither its state nor its size."""
    with open(finished.input_file[0], "rb") as file:
        content = file.read()
    (tmp_path / "records").write_bytes(content[:-5] if obstacle == "damage" else content)
    if obstacle == "size":
        monkeypatch.setattr(job, "MOST_BYTES_COUNTED", len(content) - 1)
    only = dataclasses.replace(
        finished, input_file=[str(tmp_path / "records")], do_train=False, max_eval_steps=2
    )
    assert main(only) == 0
    assert "evaluated on 16 records at most (--max_eval_steps=2;" in capsys.readouterr().err


def test_the_model_loads(finished):
    encoder, tokenizer = from_pretrained(finished.output_dir)
    _, path = run_state.newest_readable(finished.output_dir, pytest.fail)
    run_state.restore(path, {"bert/pooler/dense/kernel": encoder.get_layer("pooler").weights[0]})
    again, _ = from_pretrained(finished.output_dir)
    for weight, other in zip(encoder.weights, again.weights, strict=True):
        np.testing.assert_array_equal(weight, other, err_msg=weight.path)
    assert tokenizer.vocab_size == 30


def test_the_page_says_what_was_done(finished):
    readme = read(finished, "README.md")
    assert "--num_train_steps=8" in readme
    assert f"from_pretrained({finished.output_dir!r})" in readme
    folder = shlex.quote(finished.output_dir)
    words = f"--do_eval --input_file=HELD_OUT.tfrecord --output_dir={folder}".split()
    assert " ".join(words) in " ".join(readme.replace("\\\n", " ").split())


def test_the_first_step_has_rate_zero_and_reports_tell_the_rate_of_their_step(finished):
    reports = map(json.loads, read(finished, "train_log.jsonl").splitlines())
    rates = {report["step"]: report["learning_rate"] for report in reports}
    expected = [0, 0.005] + [0.01 * (1 - step / 8) for step in range(2, 8)]
    assert rates == pytest.approx({step: expected[step - 1] for step in (2, 3, 4, 6, 8)}, rel=1e-6)
