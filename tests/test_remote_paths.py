"""Every path that a user names may lead to a bucket: TensorFlow's file systems open all of them.

`ram://` is one of them. No function of Python finds a file there, as it finds none of `gs://`.
"""

import ast
import dataclasses
from pathlib import Path

import pytest
import tensorflow as tf

import bert_keras
from bert_keras.run_pretraining import main
from tests.run_pretraining.inputs import settings_for, write_inputs

PACKAGE = Path(bert_keras.__file__).parent
# What finds local files only.
LOCAL_CALLS = {
    "open",
    "glob.glob",
    "os.listdir",
    "os.makedirs",
    "os.mkdir",
    "os.path.exists",
    "os.path.getsize",
    "os.path.isdir",
    "os.path.isfile",
    "os.path.lexists",
    "os.remove",
    "os.rename",
    "os.replace",
    "os.stat",
    "shutil.copyfileobj",
    "shutil.disk_usage",
}
# Where that is right, and why.
LOCAL_FILES = {
    "backend.py": "the driver of this machine",
    "checkpoints/files/whole_folders.py": "only local disks have links, and it asks for a scheme",
    "file_patterns.py": "it asks for a scheme first",
    "files.py": "it asks for a scheme first",
    "locks.py": "only local files have locks",
    "streams.py": "the null device",
    "training/preflight.py": "only local disks tell how much room they have",
}


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    """A folder without a local path, with the inputs of a run."""
    local, remote = tmp_path_factory.mktemp("inputs"), "ram://bucket/inputs"
    write_inputs(local)
    tf.io.gfile.makedirs(remote)
    for file in local.iterdir():
        tf.io.gfile.copy(str(file), f"{remote}/{file.name}", overwrite=True)
    return remote


def remote_settings(bucket, output_dir, **changes):
    settings = dataclasses.replace(
        settings_for(Path("inputs"), output_dir),
        input_file=[f"{bucket}/*.tfrecord"],
        bert_config_file=f"{bucket}/config.json",
        vocab_file=f"{bucket}/vocab.txt",
    )
    return dataclasses.replace(settings, **changes)


@pytest.mark.slow
def test_a_run_in_a_bucket(bucket, capfd):
    folder = "ram://bucket/run"
    assert main(remote_settings(bucket, folder, stop_after_steps=4)) == 0
    assert main(remote_settings(bucket, folder, do_eval=True)) == 0
    assert f"continuing from {folder}/model.ckpt-4" in capfd.readouterr().err
    assert {"eval_results.txt", "train_log.jsonl", "README.md"} <= {*tf.io.gfile.listdir(folder)}

    encoder, tokenizer = bert_keras.from_pretrained(folder)
    assert (encoder.count_params() > 0, tokenizer.tokenize("a b")) == (True, ["a", "b"])

    further = remote_settings(
        bucket, "ram://bucket/further", init_checkpoint=f"{folder}/model.ckpt-8", num_train_steps=1
    )
    assert main(further) == 0
    assert tf.io.gfile.exists("ram://bucket/further/model.ckpt-1.index")


def test_no_function_of_python_opens_what_a_user_names():
    finding_local_files = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if calls_of(path) & LOCAL_CALLS
    }
    assert finding_local_files == LOCAL_FILES.keys()


def calls_of(path):
    """The names of all functions that a file calls, as they stand there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
