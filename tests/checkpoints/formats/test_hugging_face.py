import dataclasses
import json
import os
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from safetensors.numpy import load_file, save_file

from bert_keras.checkpoints.files.stored_tensor import StoredTensor
from bert_keras.checkpoints.formats import detection, hugging_face, native
from bert_keras.checkpoints.formats.hugging_face_names import names_in_class
from bert_keras.checkpoints.stored_model import Pooling, StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model

WORDS = "bert.embeddings.word_embeddings.weight"
VOCAB = {token: id for id, token in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"))}


def golden(checkpoint="bert_model.ckpt") -> dict[str, np.ndarray]:
    reader = tf.train.load_checkpoint(str(golden_model.FOLDER / checkpoint))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def stored(values, model=None, tokenizer=None, config=None) -> StoredModel:
    shapes = {name: value.shape for name, value in values.items()}
    weights = Weights("golden", shapes, lambda name: values[name])
    return StoredModel(config or golden_model.config(), tokenizer, weights, model)


def there() -> dict[str, np.ndarray]:
    """The golden model as PyTorch would hold it: its matrices are [out, in]."""
    names = names_in_class("pretrainer", golden_model.config().num_hidden_layers)
    return {
        names[name]: np.ascontiguousarray(value.T) if name.endswith("kernel") else value
        for name, value in golden().items()
    }


def folder_of(tmp_path, tensors, **keys) -> str:
    config = golden_model.config().to_dict() | {"hidden_act": "gelu_new"} | keys
    (tmp_path / "config.json").write_text(json.dumps(config))
    save_file(tensors, tmp_path / "model.safetensors")
    return str(tmp_path)


def assert_golden(weights: Weights) -> None:
    expected = golden()
    assert sorted(weights.shapes) == sorted(expected)
    for name, value in expected.items():
        assert weights.shapes[name] == value.shape
        np.testing.assert_array_equal(np.asarray(weights.read(name)), value, err_msg=name)


def test_weights_are_read_under_the_originals_names_and_turned(tmp_path):
    folder = folder_of(tmp_path, there(), architectures=["BertForPreTraining"])
    model = hugging_face.read(folder)
    assert_golden(model.weights)
    assert (model.config, model.model) == (golden_model.config(), "pretrainer")
    assert (model.tokenizer, model.pooling) == (None, None)
    assert_golden(hugging_face.read(f"{folder}/model.safetensors").weights)
    assert_golden(hugging_face.open_weights(folder))


def test_old_spellings_prefixes_buffers_and_copies(tmp_path):
    """As bert-base-uncased and BertModel hold them."""
    tensors = {
        name.removeprefix("bert.")
        .replace("LayerNorm.weight", "LayerNorm.gamma")
        .replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in there().items()
    }
    tensors["embeddings.position_ids"] = np.arange(16)[None]
    tensors["cls.predictions.decoder.weight"] = tensors[WORDS.removeprefix("bert.")].copy()
    tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"].copy()
    assert_golden(hugging_face.open_weights(folder_of(tmp_path, tensors)))


def test_a_copy_stands_for_what_it_is_tied_to(tmp_path):
    tensors = there()
    tensors["cls.predictions.decoder.weight"] = tensors.pop(WORDS)
    tensors["cls.predictions.decoder.bias"] = tensors.pop("cls.predictions.bias")
    assert_golden(hugging_face.open_weights(folder_of(tmp_path, tensors)))


@pytest.mark.parametrize("end", ["weight", "bias"])
def test_an_output_that_is_not_tied_is_refused(end, tmp_path):
    tensors = there()
    tied = {"weight": WORDS, "bias": "cls.predictions.bias"}[end]
    tensors[f"cls.predictions.decoder.{end}"] = tensors[tied] + np.float32(1e-3)
    weights = hugging_face.open_weights(folder_of(tmp_path, tensors))
    ours = {"weight": "bert/embeddings/word_embeddings", "bias": "cls/predictions/output_bias"}[end]
    with pytest.raises(InputError, match=f"tied: cls.predictions.decoder.{end} must equal {tied}"):
        weights.read(ours)
    tensors[f"cls.predictions.decoder.{end}"] = tensors[tied][1:]
    with pytest.raises(InputError, match="tied"):
        hugging_face.open_weights(folder_of(tmp_path, tensors))


def test_a_copy_is_compared_once_and_when_it_is_needed(tmp_path, monkeypatch):
    tensors = there()
    tensors["cls.predictions.decoder.weight"] = tensors[WORDS].copy()
    folder, num_read = folder_of(tmp_path, tensors), Counter()
    read = StoredTensor.read
    monkeypatch.setattr(
        StoredTensor, "read", lambda tensor, name: num_read.update([name]) or read(tensor, name)
    )
    weights = hugging_face.open_weights(folder)
    assert not num_read
    weights.read("bert/embeddings/word_embeddings")
    weights.read("bert/embeddings/word_embeddings")
    assert num_read == {WORDS: 2, "cls.predictions.decoder.weight": 1}


def test_a_weight_that_is_there_twice_is_refused(tmp_path):
    tensors = there() | {"embeddings.word_embeddings.weight": there()[WORDS]}
    with pytest.raises(InputError, match="stored once"):
        hugging_face.open_weights(folder_of(tmp_path, tensors))


def test_foreign_weights_keep_their_names(tmp_path):
    foreign = {"extra.kernel": np.ones((2, 3), np.float32)}
    weights = hugging_face.open_weights(folder_of(tmp_path, there() | foreign))
    assert weights.shapes["extra.kernel"] == (2, 3)
    assert len(weights.shapes) == len(golden()) + 1


def test_half_precision_is_read_as_float32(tmp_path):
    half = {name: value.astype(np.float16) for name, value in there().items()}
    weights = hugging_face.open_weights(folder_of(tmp_path, half))
    kernel = np.asarray(weights.read("bert/pooler/dense/kernel"))
    assert kernel.dtype == np.float32
    np.testing.assert_array_equal(
        kernel, golden()["bert/pooler/dense/kernel"].astype(np.float16).astype(np.float32)
    )


def test_integers_are_no_weights(tmp_path):
    tensors = there()
    tensors["bert.pooler.dense.bias"] = tensors["bert.pooler.dense.bias"].astype(np.int64)
    weights = hugging_face.open_weights(folder_of(tmp_path, tensors))
    with pytest.raises(InputError, match="floating-point.*bert/pooler/dense/bias of type int64"):
        weights.read("bert/pooler/dense/bias")


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_only_float32_is_written_and_the_type_is_named(dtype, tmp_path):
    values = {name: value.astype(dtype) for name, value in golden().items()}
    with pytest.raises(InputError, match=f"of 32 bits. Received: .* of type {dtype} in golden"):
        hugging_face.write(stored(values), str(tmp_path))


def test_a_config_that_is_refused_is_named(tmp_path):
    folder = folder_of(tmp_path, there(), model_type="roberta")
    with pytest.raises(InputError, match=r"config\.json: .*model_type.*'roberta'"):
        hugging_face.read(folder)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match="must be a JSON object"):
        hugging_face.read(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "tf_model.h5", "flax_model.msgpack"])
def test_what_is_no_safetensors_is_refused_with_the_way_out(name, tmp_path):
    folder = folder_of(tmp_path, there())
    (tmp_path / "model.safetensors").rename(tmp_path / name)
    with pytest.raises(InputError, match=f"safetensors.*{name}.*save_pretrained"):
        detection.read_model(folder)


def test_there_and_back_keeps_every_bit(tmp_path):
    assert hugging_face.write(stored(golden()), str(tmp_path)) == []
    tensors, expected = load_file(tmp_path / "model.safetensors"), there()
    assert sorted(tensors) == sorted(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(tensors[name], value, err_msg=name)
    assert hugging_face.read(str(tmp_path)).model == "pretrainer"
    assert_golden(hugging_face.read(str(tmp_path)).weights)


def test_slots_and_step_are_not_written_and_named(tmp_path):
    values = golden("trained_model.ckpt-8") | {"extra/w": np.ones(2, np.float32)}
    unwritten = hugging_face.write(stored(values), str(tmp_path))
    assert set(unwritten) == values.keys() - golden().keys()
    assert sorted(load_file(tmp_path / "model.safetensors")) == sorted(there())


@pytest.mark.parametrize(
    "model, prefix, unwritten",
    [
        ("bert", "", ["cls/predictions", "cls/seq_relationship"]),
        ("masked_lm", "bert.", ["bert/pooler", "cls/seq_relationship"]),
        ("next_sentence", "bert.", ["cls/predictions"]),
    ],
)
def test_an_architecture_takes_what_it_holds(model, prefix, unwritten, tmp_path, capsys):
    left = hugging_face.write(stored(golden(), model), str(tmp_path))
    assert sorted({"/".join(name.split("/")[:2]) for name in left}) == unwritten
    names = load_file(tmp_path / "model.safetensors")
    assert f"{prefix}encoder.layer.2.attention.self.key.weight" in names
    assert hugging_face.read(str(tmp_path)).model == model
    assert capsys.readouterr().err == ""


def test_weights_that_are_not_there_are_named(tmp_path, capsys):
    encoder = {name: value for name, value in golden().items() if name.startswith("bert/e")}
    assert hugging_face.write(stored(encoder), str(tmp_path)) == []
    assert "2 weights are not there" in (notice := capsys.readouterr().err)
    assert "pooler.dense.bias, pooler.dense.weight" in notice
    assert hugging_face.read(str(tmp_path)).model == "unpooled_bert"


@pytest.mark.parametrize("labels", [(), ("a", "b", "c")])
def test_a_classifier_of_the_original_names_its_classes_or_counts_them(labels, tmp_path):
    head = {"output_weights": np.ones((3, 32), np.float32), "output_bias": np.ones(3, np.float32)}
    encoder = {name: value for name, value in golden().items() if name.startswith("bert/")}
    config = BertConfig.from_dict(golden_model.config().to_dict() | {"labels": labels})
    assert hugging_face.write(stored(encoder | head, config=config), str(tmp_path)) == []
    back = hugging_face.read(str(tmp_path))
    assert back.model == "classifier"
    assert back.config.labels == (labels or ("LABEL_0", "LABEL_1", "LABEL_2"))


@pytest.mark.parametrize("do_lower_case", [True, False])
def test_the_case_setting_stays(do_lower_case, tmp_path):
    tokenizer = WordPieceTokenizer(VOCAB, do_lower_case=do_lower_case)
    hugging_face.write(stored(golden(), tokenizer=tokenizer), str(tmp_path))
    back = hugging_face.read(str(tmp_path)).tokenizer
    assert (back.vocab, back.do_lower_case) == (VOCAB, do_lower_case)
    changed = hugging_face.read(str(tmp_path), do_lower_case=not do_lower_case).tokenizer
    assert changed.do_lower_case is not do_lower_case


@pytest.mark.parametrize(("length", "written"), [(None, None), (16, 16), (256, 40)])
def test_texts_are_cut_where_they_were_and_never_beyond_the_positions(length, written, tmp_path):
    pooling = Pooling(("mean",), normalize=True, max_seq_length=length)
    model = dataclasses.replace(stored(golden(), "bert"), pooling=pooling)
    folders = [str(tmp_path / "ours"), str(tmp_path / "theirs")]
    for folder, write in zip(folders, (native.write, hugging_face.write), strict=True):
        os.mkdir(folder)
        write(model, folder)
        model = detection.read_model(folder)
    assert model.pooling == pooling._replace(max_seq_length=written)
