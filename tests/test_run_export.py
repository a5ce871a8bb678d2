"""The program as a whole, on a model of two layers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.run_export import Settings, main
from bert_keras.serving.load import load_model
from bert_keras.training.precision import precision
from tests.serving.exports import write_model

IDS = tf.constant([[2, 5, 6, 3], [2, 7, 8, 3]])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "model", "classifier")


def exported(model, folder, **settings):
    main(Settings(model=model, output_dir=str(folder), **settings))
    return f"{folder}/1"


def logits(folder):
    return tf.saved_model.load(folder).signatures["token_ids"](input_ids=IDS)["logits"]


def expected_logits(model):
    inputs = {"input_ids": IDS, "input_mask": tf.ones_like(IDS), "segment_ids": IDS * 0}
    return load_model(model).model(inputs)["logits"]


def test_the_folder_of_the_version_is_printed(model, tmp_path, capsys):
    folder = exported(model, tmp_path / "served", max_seq_length=7, task="features")
    assert capsys.readouterr().out == f"{folder}\n"
    with open(f"{folder}/task.json") as file:
        assert json.load(file) == {"task": "features", "max_seq_length": 7}


def test_in_bfloat16_an_export_equals_keras_in_bfloat16(model, tmp_path):
    found = logits(exported(model, tmp_path, precision="bfloat16"))
    with precision("bfloat16"):
        expected = expected_logits(model)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.any(np.abs(found - expected_logits(model)) > 1e-5)


@pytest.mark.slow
def test_what_xla_compiles_equals_keras_and_checks_its_inputs(model, tmp_path):
    folder = exported(model, tmp_path, xla=True)
    np.testing.assert_allclose(logits(folder), expected_logits(model), atol=1e-5)
    signatures = tf.saved_model.load(folder).signatures
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"vocab_size"):
        signatures["token_ids"](input_ids=IDS + 39)
    assert signatures["serving_default"](text=tf.constant(["abc"]))["label"].shape == (1,)


@pytest.mark.slow
def test_core_operations_are_enough(model, tmp_path):
    folder = exported(model, tmp_path, core_ops_only=True)
    with open(f"{folder}/signature.json") as file:
        assert json.load(file)["ops_of_tensorflow_text"] == []
    with open(f"{folder}/README.md") as file:
        assert "tensorflow_text" not in file.read()
    np.testing.assert_allclose(logits(folder), expected_logits(model), atol=1e-5)


def test_what_cannot_be_is_refused(model, tmp_path):
    for flags, message in (
        ({"precision": "float16"}, "--precision must be float32 or bfloat16 with --format=saved"),
        ({"format": "onnx", "precision": "int8"}, "--precision must be float32 with --format=onnx"),
        ({"format": "pdf"}, "--format must be one of saved_model, litert, onnx. Received: pdf"),
        ({"format": "litert", "xla": True}, "--xla cannot be with --format=litert. Received: True"),
        ({"length": 8}, "--length cannot be with --format=saved_model"),
        ({"check_on": "--x=y"}, "--check_on cannot be with --format=saved_model"),
    ):
        with pytest.raises(InputError, match=message):
            main(Settings(model=model, output_dir=str(tmp_path), **flags))
    with pytest.raises(InputError, match="needs a model with the head of a"):
        main(Settings(model=model, output_dir=str(tmp_path), task="fill_mask"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("format_name", ["litert", "onnx"])
def test_other_formats_are_checked_on_data_with_answers(format_name, model, tmp_path, capsys):
    pytest.importorskip({"litert": "ai_edge_litert", "onnx": "onnxruntime"}[format_name])
    pytest.importorskip({"litert": "ai_edge_litert", "onnx": "tf2onnx"}[format_name])
    (tmp_path / "dev.tsv").write_text("text\tlabel\na b\tno\nc\tyes\n")
    words = f"--text_a_column=text --dev_file={tmp_path}/dev.tsv"
    folder = str(tmp_path / "converted")
    main(Settings(model=model, output_dir=folder, format=format_name, check_on=words))
    printed = capsys.readouterr()
    assert printed.out == f"{folder}\n"
    assert "dev: accuracy was" in printed.err
    with open(f"{folder}/agreement.json") as file:
        assert json.load(file)["drop"] == 0


@pytest.mark.slow
def test_the_program_runs(model, tmp_path):
    command = [sys.executable, "-m", "bert_keras.run_export", f"--model={model}"]
    output = f"{tmp_path}/served"
    printed = subprocess.check_output([*command, f"--output_dir={output}"], text=True)
    assert printed == f"{output}/1\n"
