"""Paths with a scheme: a whole run in TensorFlow's file system in memory, `ram://`.

It stands for `gs://` and others, which all come to the programs through `tf.io.gfile`.
"""

import ast
import dataclasses
from pathlib import Path

import pytest
import tensorflow as tf

import bert_keras
from bert_keras.run_pretraining import main
from bert_keras.training import run_state
from tests.run_pretraining.inputs import settings_for, write_inputs

PACKAGE = Path(bert_keras.__file__).parent
# What opens a path past tf.io.gfile.
LOCAL_ONLY = {"open", "exists", "isfile", "isdir", "listdir", "makedirs", "replace", "read_text"}
# Where that is right: files.py, which decides; locks, which only local folders have; the sample,
# which lies in the package; files of Linux (/dev/null, /proc); a folder's disk, after a look at its
# scheme.
LOCAL_FILES = {
    "files.py",
    "flags.py",
    "locks.py",
    "quick_start.py",
    "backend.py",
    "training/preflight.py",
}


@pytest.fixture(scope="module")
def remote(tmp_path_factory):
    """Settings with every path on ram://."""
    folder = tmp_path_factory.mktemp("local")
    write_inputs(folder)
    for path in folder.iterdir():
        with tf.io.gfile.GFile(f"ram://inputs/{path.name}", "wb") as file:
            file.write(path.read_bytes())
    settings = settings_for(folder, "ram://runs/first")
    return dataclasses.replace(
        settings,
        input_file=["ram://inputs/*.tfrecord"],
        bert_config_file="ram://inputs/config.json",
        vocab_file="ram://inputs/vocab.txt",
        do_eval=True,
    )


def test_a_run_stops_goes_on_and_is_evaluated(remote):
    assert main(dataclasses.replace(remote, stop_after_steps=3)) == 0
    assert run_state.saved_steps(remote.output_dir) == [2, 3]
    assert main(remote) == 0
    assert run_state.saved_steps(remote.output_dir)[-1] == 8
    for name in ("eval_results.txt", "README.md", "config.json", "vocab.txt", "train_log.jsonl"):
        assert tf.io.gfile.exists(f"{remote.output_dir}/{name}"), name
    encoder, tokenizer = bert_keras.from_pretrained(remote.output_dir)
    assert encoder.output["sequence_output"].shape[-1] == 16 and tokenizer.vocab_size == 30


def test_a_run_begins_with_a_remote_checkpoint(remote):
    first = dataclasses.replace(remote, output_dir="ram://runs/before", do_eval=False)
    assert main(first) == 0
    second = dataclasses.replace(
        remote,
        output_dir="ram://runs/after",
        init_checkpoint="ram://runs/before/bert_model.ckpt",
    )
    assert main(second) == 0


def calls_past_gfile(path):
    """The names of functions in a file that would open a local path only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id == "open":
            yield "open"
        is_module = isinstance(function, ast.Attribute) and isinstance(
            function.value, ast.Attribute
        )
        if isinstance(function, ast.Attribute) and function.attr in LOCAL_ONLY:
            source = ast.unparse(function)
            if source.startswith(("os.", "Path(", "pathlib.", "shutil.")) or (
                is_module and source.startswith("os.path.")
            ):
                yield source


def test_no_other_file_opens_paths_itself():
    found = {
        str(path.relative_to(PACKAGE)): sorted(set(calls_past_gfile(path)))
        for path in PACKAGE.rglob("*.py")
    }
    assert {name for name, calls in found.items() if calls} <= LOCAL_FILES, found
