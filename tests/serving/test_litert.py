import pathlib
import re
import sys

import numpy as np
import pytest

from bert_keras.data.encoded import EncodedExamples
from bert_keras.errors import InputError
from bert_keras.serving.litert import MODEL_FILE, PRECISIONS, LiteRTModel, convert, export_litert
from bert_keras.serving.predictor import Predictor
from tests.serving.converted_heads import HEADS, deviations, loaded, predictor
from tests.serving.test_predictor import plain

LENGTH = 16
# Of the spread of an output. Random weights make the most of every rounding: most heads stay below
# 0.002 and 0.05, but where two scores of an attention are nearly equal a single token tips.
TOLERANCES = {"float32": 1e-5, "float16": 0.02, "int8": 0.25}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def folder(root):
    """A classifier of free length, converted once."""
    export_litert(loaded("classification", root), str(root / "free"))
    return root / "free"


@pytest.fixture
def examples(root):
    model = loaded("classification", root)
    return model.task.encode(HEADS["classification"][2], model.tokenizer).examples


def programs(folder):
    """Those of the page: in the folder, by names; anywhere, by `bert_keras`."""
    return re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.S)


def test_the_answers_are_those_of_keras_however_texts_are_batched(root, folder):
    inputs = HEADS["classification"][2]
    expected = predictor("classification", root).predict(inputs)
    model = LiteRTModel(folder)
    encoded = model.task.encode(inputs, model.tokenizer)
    for batch_size in (1, 2, 32):
        outputs = model.outputs_of(encoded.examples, batch_size)
        answers = model.task.decode(encoded, outputs, model.config)
        assert [one.label for one in answers] == [one.label for one in expected]
        np.testing.assert_allclose(plain(answers), plain(expected), atol=1e-5)


def test_an_example_of_every_length_has_the_outputs_of_keras(root, folder):
    model, keras_model = LiteRTModel(folder), predictor("classification", root)
    random = np.random.default_rng(1)
    for length in (9, 3, 20, 1):
        ids = [random.integers(5, 39, length, np.int32) for _ in range(2)]
        examples = EncodedExamples.of_sequences(ids)
        expected = keras_model.outputs_of(examples, 2, lambda num: None)
        assert max(deviations(model.outputs_of(examples, 2), expected, examples).values()) < 1e-5


def test_inputs_and_outputs_go_by_name(folder):
    run = LiteRTModel(folder)._run
    assert {*run.get_input_details()} == {"input_ids", "input_mask", "segment_ids"}
    ids, ones = np.array([[2, 6, 3]], np.int32), np.ones([1, 3], np.int32)
    outputs = run(input_ids=ids, input_mask=ones, segment_ids=ones - 1)
    again = run(segment_ids=ones - 1, input_mask=ones, input_ids=ids)
    assert [*outputs] == ["logits"]
    np.testing.assert_array_equal(outputs["logits"], again["logits"])
    with pytest.raises(ValueError, match="Invalid Input name"):
        run(ids=ids, input_mask=ones, segment_ids=ones)


def test_the_page_shows_how_it_is_run(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    by_name, by_package = re.findall(
        r"```python\n(.*?)```", (folder / "README.md").read_text(), re.S
    )
    exec(by_name, {})
    assert capsys.readouterr().out == "logits (1, 3) float32\n"
    exec(by_package, {})
    assert "Label(label=" in capsys.readouterr().out


def test_beside_the_model_lies_what_makes_its_inputs_and_answers(root, folder):
    assert {path.name for path in folder.iterdir()} == {
        MODEL_FILE,
        "README.md",
        "config.json",
        "task.json",
        "tokenizer_config.json",
        "vocab.txt",
    }
    model, of_keras = LiteRTModel(folder), loaded("classification", root)
    assert (model.task, model.config) == (of_keras.task, of_keras.config)
    assert model.tokenizer.vocab == of_keras.tokenizer.vocab


def test_no_texts_have_no_outputs_and_progress_is_told(folder, examples):
    model = LiteRTModel(folder)
    assert model.outputs_of(model.task.encode([], model.tokenizer).examples) == {"logits": []}
    done = []
    model.outputs_of(examples, 4, done.append)
    assert done == [4, 2]


def test_a_sequence_beyond_the_positions_of_the_model_is_refused(folder):
    long = EncodedExamples.of_sequences([np.full(21, 6, np.int32)])
    with pytest.raises(InputError, match="max_position_embeddings=20. Received: 21 positions"):
        LiteRTModel(folder).outputs_of(long)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": "int4"}, "must be one of float32, float16, int8. Received: int4"),
        ({"length": 21}, "max_position_embeddings=20. Received: 21 positions"),
        ({"length": 2}, "--length must be at least 3, .*Received: 2"),
    ],
)
def test_what_cannot_be_converted_is_refused_at_once(root, tmp_path, arguments, message):
    with pytest.raises(InputError, match=message):
        export_litert(loaded("classification", root), str(tmp_path / "new"), **arguments)
    assert not [*tmp_path.iterdir()]


def test_what_was_not_exported_is_refused(folder, tmp_path):
    for name in ("config.json", "vocab.txt", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(InputError, match="a task.json that names one of .*with None"):
        LiteRTModel(tmp_path)
    (tmp_path / "task.json").write_bytes((folder / "task.json").read_bytes())
    (tmp_path / MODEL_FILE).write_bytes(b"no model")
    with pytest.raises(InputError, match="must be a model of `export_litert`"):
        LiteRTModel(tmp_path)


def test_without_the_runtime_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "ai_edge_litert.interpreter", None)
    with pytest.raises(InputError, match=r"pip install 'bert_keras\[litert\]'"):
        LiteRTModel(folder)


@pytest.mark.slow
def test_a_model_of_fixed_length_takes_shorter_texts_alone_and_refuses_longer_ones(root, tmp_path):
    path = tmp_path / "fixed"
    export_litert(loaded("classification", root), str(path), length=LENGTH)
    model = LiteRTModel(path)
    assert (model.length, model.task.max_seq_length) == (LENGTH, LENGTH)
    details = model._run.get_input_details()["input_ids"]
    assert details["shape_signature"].tolist() == [1, LENGTH]
    inputs = [*HEADS["classification"][2], "a " * 100]
    encoded = model.task.encode(inputs, model.tokenizer)
    answers = model.task.decode(encoded, model.outputs_of(encoded.examples), model.config)
    expected = Predictor(root / "classification", max_seq_length=LENGTH).predict(inputs)
    np.testing.assert_allclose(plain(answers), plain(expected), atol=1e-5)
    long = EncodedExamples.of_sequences([np.full(LENGTH + 1, 6, np.int32)])
    with pytest.raises(InputError, match="sequences of 16 positions, .*Received: one of 17"):
        model.outputs_of(long)
    [by_name, _] = programs(path)
    exec(by_name.replace('"model.tflite"', repr(str(path / MODEL_FILE))), {})


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADS)
def test_every_head_has_the_outputs_of_keras_in_every_precision(root, tmp_path, name):
    sizes = [
        deviating_less(name, root, str(tmp_path / precision), precision, None)
        for precision in PRECISIONS
    ]
    assert sizes == sorted(sizes, reverse=True) and len({*sizes}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADS)
def test_every_head_has_the_outputs_of_keras_at_a_fixed_length(root, tmp_path, name):
    deviating_less(name, root, str(tmp_path / "fixed"), "int8", LENGTH)


def deviating_less(name, root, path, precision, length):
    """Converts a head, whose outputs must be nearly those of Keras; returns its bytes."""
    of_keras = predictor(name, root)
    export_litert(of_keras.loaded, path, precision, length)
    model = LiteRTModel(path)
    examples = of_keras.loaded.task.encode(HEADS[name][2], model.tokenizer).examples
    expected = of_keras.outputs_of(examples, 4, lambda num: None)
    found = deviations(model.outputs_of(examples, 4), expected, examples)
    assert max(found.values()) < TOLERANCES[precision]
    ops = [op["op_name"] for op in model._run._interpreter._get_ops_details()]
    assert not [op for op in ops if op.startswith("Flex")]
    return pathlib.Path(path, MODEL_FILE).stat().st_size


@pytest.mark.slow
def test_nothing_is_left_of_a_conversion_that_a_check_refuses(root, tmp_path):
    seen = []

    def check(unfinished):
        seen.extend(path.name for path in pathlib.Path(unfinished).iterdir())
        LiteRTModel(unfinished)
        raise InputError("no")

    with pytest.raises(InputError, match="^no$"):
        export_litert(loaded("classification", root), str(tmp_path / "new"), check=check)
    assert {MODEL_FILE, "README.md", "task.json"} <= {*seen}
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_the_mask_of_an_eight_bit_model_hides_padding(root):
    """-10000 within a tensor of 256 levels would leave a step of 39 between scores."""
    import ai_edge_litert.interpreter as litert

    content = convert(loaded("classification", root).model, "int8")
    run = litert.Interpreter(model_content=content).get_signature_runner("tokens")
    ids = np.array([[2, 6, 7, 3]], np.int32)
    alone = run(input_ids=ids, input_mask=ids * 0 + 1, segment_ids=ids * 0)["logits"]
    padded = np.pad(ids, [(0, 0), (0, 9)], constant_values=8)
    mask = (np.arange(13)[np.newaxis] < 4).astype(np.int32)
    beside = run(input_ids=padded, input_mask=mask, segment_ids=padded * 0)["logits"]
    np.testing.assert_allclose(beside, alone, atol=1e-5)
