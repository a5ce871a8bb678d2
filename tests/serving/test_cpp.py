"""What a server does with an export, in C++ and without Python."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text
from tensorflow.core.protobuf import meta_graph_pb2

from bert_keras.serving import Predictor
from tests.serving.exports import write_export, write_model

SOURCE = Path(__file__).parent / "cpp" / "run_signature.cc"
COMPILER = shutil.which("g++") or shutil.which("clang++")
OPS = Path(tensorflow_text.__file__).parent / "python" / "ops"
TEXT_LIBRARIES = [str(OPS / "_fast_wordpiece_tokenizer.so"), str(OPS / "_normalize_ops.so")]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILER, reason="no compiler of C++: neither g++ nor clang++"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "run_signature"
    libraries = tf.sysconfig.get_lib()
    shared = [f"{libraries}/libtensorflow_{name}.so.2" for name in ("cc", "framework")]
    flags = ["-std=c++17", "-w", *tf.sysconfig.get_compile_flags(), f"-Wl,-rpath,{libraries}"]
    subprocess.run([COMPILER, *flags, SOURCE, "-o", path, *shared], check=True)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "model", "classifier")


@pytest.fixture(scope="module")
def ask(program, model, tmp_path_factory):
    """Function of a signature, inputs by name and libraries -> outputs by name, or the error."""
    version = write_export(model, tmp_path_factory.mktemp("exports") / "a folder")
    folder = tmp_path_factory.mktemp("messages")

    def run(signature, libraries=TEXT_LIBRARIES, **inputs):
        request = meta_graph_pb2.SignatureDef()
        for name, value in inputs.items():
            request.defaults[name].CopyFrom(tf.make_tensor_proto(value))
        (folder / "request").write_bytes(request.SerializeToString())
        files = [str(folder / name) for name in ("request", "answer")]
        command = [str(program), version, signature, *files, *libraries]
        process = subprocess.run(command, capture_output=True, text=True, env=os.environ)
        if process.returncode:
            return process.stderr
        answer = meta_graph_pb2.SignatureDef.FromString((folder / "answer").read_bytes())
        return {name: tf.make_ndarray(value) for name, value in answer.defaults.items()}

    return run


def test_texts_are_answered_as_in_python(ask, model):
    texts = ["abc de", "", "Ä" * 300]
    answers = ask("serving_default", text=texts)
    for index, expected in enumerate(Predictor(model).predict(texts)):
        assert answers["label"][index].decode() == expected.label
        probabilities = [*expected.probabilities.values()]
        np.testing.assert_allclose(answers["probabilities"][index], probabilities, atol=1e-5)


def test_mask_and_segments_may_be_left_out(ask):
    """And need no operation beyond those of TensorFlow."""
    ids = np.array([[2, 5, 6, 3], [2, 7, 8, 3]], np.int32)
    given = {"input_mask": np.ones_like(ids), "segment_ids": np.zeros_like(ids)}
    expected = ask("tokens", input_ids=ids, **given)["logits"]
    for left_out in ({"segment_ids"}, {"input_mask"}, {*given}):
        inputs = {name: value for name, value in given.items() if name not in left_out}
        np.testing.assert_array_equal(ask("tokens", input_ids=ids, **inputs)["logits"], expected)
    np.testing.assert_array_equal(ask("token_ids", input_ids=ids)["logits"], expected)


def test_what_is_no_batch_is_refused(ask):
    refusal = ask("serving_default", text="abc")
    assert "is not compatible with expected shape [?]" in refusal
    assert ask("serving_default", text=np.array([], "S1"))["label"].shape == (0,)


def test_the_operations_that_are_missing_are_named(ask):
    assert "Op type not registered" in ask("serving_default", libraries=[], text=["abc"])
