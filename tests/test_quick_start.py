"""The run without flags."""

import importlib
import os
import re
import shlex
import subprocess
import sys

import pytest

from bert_keras import flags, from_pretrained, quick_start
from bert_keras.pretraining import job
from bert_keras.run_pretraining import Settings
from bert_keras.run_pretraining import main as pretrain
from bert_keras.training.stop import StopRequest

pytestmark = pytest.mark.slow


def numbers(text):
    """The losses of model and unigram model that a summary prints."""
    match = re.search(r"masked-LM loss +(\S+) nats of the model\n +(\S+) nats of a unigram", text)
    return float(match[1]), float(match[2])


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    """The folder that a run of few steps leaves."""
    folder = str(tmp_path_factory.mktemp("runs") / "a run")
    stop = StopRequest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick_start, "NUM_TRAIN_STEPS", 3)
        patch.setattr(quick_start, "DUPE_FACTOR", 1)
        quick_start.run(folder, lambda **values: job.run(Settings(**values), stop), stop=stop)
    return folder


def test_the_folder_explains_itself_and_loads(short_run):
    with open(f"{short_run}/README.md") as file:
        readme = file.read()
    loss, unigram_loss = numbers(readme)
    assert 5.5 < unigram_loss < 7
    assert loss > unigram_loss  # after 3 steps
    encoder, tokenizer = from_pretrained(short_run)
    assert encoder.get_layer("embeddings").config.hidden_size == 128
    assert tokenizer.tokenize("The Ship")


def printed_commands(folder):
    """The module and the words of each command of the summary."""
    with open(f"{folder}/README.md") as file:
        commands = re.findall(r"^ {6}python -m (\S+) ((?:.*\\\n)*.*)$", file.read(), re.MULTILINE)
    return [(module, shlex.split(rest.replace("\\\n", " "))) for module, rest in commands]


def test_the_printed_commands_are_understood(short_run):
    commands = printed_commands(short_run)
    assert len(commands) == 5
    for module, words in commands:
        program = importlib.import_module(module)
        flags.parse(program.Settings, words)
        for word in words:
            path = word.rpartition("=")[2]
            if "/" in path and "*" not in path and "_longer" not in path:
                assert os.path.exists(path) or os.path.exists(f"{path}.index"), path


def test_the_printed_commands_run(short_run, tmp_path):
    """Each as printed, but for the number of steps and for texts that only the reader has."""
    for module, words in printed_commands(short_run):
        if "--do_train" in words:
            words += ["--num_train_steps=1", "--num_warmup_steps=0"]
        if module.endswith("create_pretraining_data"):
            words += [f"--input_file={quick_start.SAMPLE / 'held_out.txt'}"]
        result = subprocess.run(
            [sys.executable, "-m", module, *words],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert result.returncode == 0, result.stderr
    assert os.path.exists(f"{short_run}_longer/eval_results.txt")
    assert os.path.exists(tmp_path / "my_bert" / "README.md")


def test_no_flag_but_the_folder_calls_it(monkeypatch):
    called = []
    monkeypatch.setattr(quick_start, "run", lambda folder, **_: called.append(folder))
    assert pretrain(Settings()) == 0
    assert pretrain(Settings(output_dir="elsewhere")) == 0
    assert called == ["pretraining_output", "elsewhere"]


def test_the_sample_teaches_more_than_frequencies(tmp_path):
    command = [sys.executable, "-m", "bert_keras.run_pretraining", f"--output_dir={tmp_path}/run"]
    first = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert first.returncode == 0, first.stderr
    loss, unigram_loss = numbers(first.stdout)
    assert loss < unigram_loss - 0.3
    again = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0 and "is finished" in again.stderr
    assert numbers(again.stdout) == (loss, unigram_loss)
