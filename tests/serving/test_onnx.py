import re
import sys

import numpy as np
import pytest

from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.serving.onnx import MODEL_FILE, OnnxModel, export_onnx
from tests.serving.converted_heads import HEADS, deviations, loaded, predictor
from tests.serving.test_predictor import plain

onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
pytest.importorskip("tf2onnx", reason="needs the extra onnx")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def folder(root):
    """A classifier, converted once."""
    export_onnx(loaded("classification", root), str(root / "onnx"))
    return root / "onnx"


def test_the_answers_are_those_of_keras_however_texts_are_batched(root, folder):
    inputs = HEADS["classification"][2]
    expected = predictor("classification", root).predict(inputs)
    model = OnnxModel(folder)
    encoded = model.task.encode(inputs, model.tokenizer)
    for batch_size in (1, 2, 32):
        outputs = model.outputs_of(encoded.examples, batch_size)
        answers = model.task.decode(encoded, outputs, model.config)
        assert [one.label for one in answers] == [one.label for one in expected]
        np.testing.assert_allclose(plain(answers), plain(expected), atol=1e-5)


def test_names_are_kept_and_batch_and_length_are_free(folder):
    session = onnxruntime.InferenceSession(folder / MODEL_FILE)
    inputs = {one.name: one.shape for one in session.get_inputs()}
    names = ("input_ids", "input_mask", "segment_ids")
    assert inputs == dict.fromkeys(names, ["batch", "length"])
    [logits] = session.get_outputs()
    assert (logits.name, logits.shape) == ("logits", ["batch", 3])


def test_the_page_shows_how_it_is_run(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    page = (folder / "README.md").read_text()
    by_name, by_package = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(by_name, {})
    assert capsys.readouterr().out == "logits (1, 3) float32\n"
    exec(by_package, {})
    assert "Label(label=" in capsys.readouterr().out


def test_no_texts_have_no_outputs_and_progress_is_told(folder):
    model = OnnxModel(folder)
    assert model.outputs_of(model.task.encode([], model.tokenizer).examples) == {"logits": []}
    done = []
    model.outputs_of(model.task.encode(["a"] * 6, model.tokenizer).examples, 4, done.append)
    assert done == [4, 2]


def test_a_sequence_beyond_the_positions_of_the_model_is_refused(folder):
    long = EncodedExamples.of_sequences([np.full(21, 6, np.int32)])
    with pytest.raises(InputError, match="max_position_embeddings=20. Received: 21 positions"):
        OnnxModel(folder).outputs_of(long)


def test_a_damaged_file_is_refused(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / MODEL_FILE).write_bytes(b"no model")
    with pytest.raises(InputError, match="must be a model in ONNX. Received: "):
        OnnxModel(tmp_path)


def test_without_the_packages_the_extra_is_named(root, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"needs onnxruntime, .*pip install 'bert_keras\[onnx\]'"):
        OnnxModel(folder)
    monkeypatch.setitem(sys.modules, "tf2onnx", None)
    with pytest.raises(InputError, match="ONNX needs tf2onnx"):
        export_onnx(loaded("classification", root), str(tmp_path / "new"))
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADS)
def test_every_head_has_the_outputs_of_keras(root, tmp_path, name):
    of_keras = predictor(name, root)
    export_onnx(of_keras.loaded, str(tmp_path / "new"))
    model = OnnxModel(tmp_path / "new")
    examples = of_keras.loaded.task.encode(HEADS[name][2], model.tokenizer).examples
    expected = of_keras.outputs_of(examples, 4, lambda num: None)
    assert max(deviations(model.outputs_of(examples, 4), expected, examples).values()) < 1e-5
    session = onnxruntime.InferenceSession(tmp_path / "new" / MODEL_FILE)
    for value in (*session.get_inputs(), *session.get_outputs()):
        free = [axis for axis in value.shape if isinstance(axis, str)]
        assert {*free} <= {"batch", "length", "choices", "predictions"}
        assert free[0] == "batch"
