"""Every kind of model, from transformers and to it: the same outputs, and nothing lost."""

import json
import pathlib

import numpy as np
import pytest
from safetensors.numpy import load_file

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.formats import detection, hugging_face
from bert_keras.checkpoints.formats.hugging_face_config import ACTIVATIONS
from bert_keras.checkpoints.formats.hugging_face_names import ARCHITECTURES
from bert_keras.checkpoints.loading import load_weights
from tests import golden_model
from tests.parity import random_models
from tests.parity.random_models import OUTPUTS, TOLERANCE

pytestmark = pytest.mark.parity
GELUS = {"gelu": "gelu_erf", "gelu_new": "gelu"}


def tensors(folder: pathlib.Path) -> dict[str, np.ndarray]:
    """Every tensor of every file, read by the other library."""
    files = folder.glob("*.safetensors")
    return {name: value for path in files for name, value in load_file(path).items()}


def assert_same_tensors(values: dict, expected: dict) -> None:
    assert sorted(values) == sorted(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(np.asarray(values[name]), value, err_msg=name)


def load_there(architecture: str, folder: pathlib.Path):
    """What transformers makes of a folder; it must miss nothing, and find nothing else."""
    import transformers

    model, report = getattr(transformers, architecture).from_pretrained(
        folder, output_loading_info=True
    )
    assert {key: list(names) for key, names in report.items() if names} == {}
    return model.eval()


@pytest.mark.parametrize("hidden_act", GELUS)
@pytest.mark.parametrize("name", OUTPUTS)
def test_their_weights_compute_the_same_here(name, hidden_act, tmp_path):
    peer = random_models.peer(ARCHITECTURES[name], hidden_act)
    peer.save_pretrained(tmp_path)
    stored = hugging_face.read(str(tmp_path))
    assert stored.model == name
    assert stored.config == random_models.config(name, GELUS[hidden_act])
    model = BUILDERS[name](stored.config)
    report = load_weights(model, stored.weights, optional=())
    assert (report.unused, report.missing) == ([], [])
    ours = random_models.outputs_here(model, name)
    theirs = random_models.outputs_there(peer, name)
    assert sorted(ours) == sorted(theirs)
    for key, value in theirs.items():
        np.testing.assert_allclose(ours[key], value, **TOLERANCE, err_msg=key)


@pytest.mark.parametrize("hidden_act", GELUS)
@pytest.mark.parametrize("name", OUTPUTS)
def test_our_weights_compute_the_same_there(name, hidden_act, tmp_path):
    model = BUILDERS[name](random_models.config(name, GELUS[hidden_act]))
    assert hugging_face.write(random_models.stored(model, name), str(tmp_path)) == []
    peer = load_there(ARCHITECTURES[name], tmp_path)
    ours = random_models.outputs_here(model, name)
    for key, value in random_models.outputs_there(peer, name).items():
        np.testing.assert_allclose(ours[key], value, **TOLERANCE, err_msg=key)


@pytest.mark.parametrize("name", OUTPUTS)
def test_here_and_back_is_bit_identical(name, tmp_path):
    import transformers

    there, back = tmp_path / "there", tmp_path / "back"
    back.mkdir()
    random_models.peer(ARCHITECTURES[name], "gelu").save_pretrained(there)
    hugging_face.write(hugging_face.read(str(there)), str(back))
    assert_same_tensors(tensors(back), tensors(there))
    configs = [transformers.AutoConfig.from_pretrained(folder) for folder in (there, back)]
    for config in configs:
        config.name_or_path = "the folder"
    assert configs[0].to_dict() == configs[1].to_dict()


def test_shards_of_either_side_are_read_by_the_other(tmp_path):
    there, back = tmp_path / "there", tmp_path / "back"
    back.mkdir()
    peer = random_models.peer("BertForPreTraining", "gelu")
    peer.save_pretrained(there, max_shard_size=20_000)
    assert len(list(there.glob("model-*.safetensors"))) > 2
    hugging_face.write(hugging_face.read(str(there)), str(back), max_shard_size=20_000)
    files = sorted(back.glob("model-*.safetensors"))
    assert len(files) > 2
    assert all(sum(value.nbytes for value in load_file(file).values()) <= 20_000 for file in files)
    index = json.loads((back / "model.safetensors.index.json").read_text())
    assert set(index["weight_map"].values()) == {file.name for file in files}
    assert_same_tensors(tensors(back), tensors(there))
    load_there("BertForPreTraining", back)


def test_the_originals_checkpoint_computes_the_originals_numbers_there(tmp_path):
    import torch

    stored = detection.read_model(str(golden_model.FOLDER / "bert_model.ckpt"))
    assert hugging_face.write(stored, str(tmp_path)) == []
    peer = load_there("BertForPreTraining", tmp_path)
    forward = golden_model.arrays("forward.npz")
    forward = {name: torch.tensor(value) for name, value in forward.items()}
    with torch.no_grad():
        outputs = peer(
            input_ids=forward["input_ids"],
            attention_mask=forward["input_mask"],
            token_type_ids=forward["segment_ids"],
        )
    rows = torch.arange(len(forward["input_ids"]))[:, None]
    predictions = outputs.prediction_logits[rows, forward["masked_lm_positions"].long()]
    for logits, name in (
        (predictions.flatten(0, 1), "masked_lm_log_probs"),
        (outputs.seq_relationship_logits, "next_sentence_log_probs"),
    ):
        log_probs = logits.log_softmax(dim=-1)
        np.testing.assert_allclose(log_probs, forward[name], **TOLERANCE, err_msg=name)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_becomes_float32_without_rounding(dtype, tmp_path):
    import torch

    there, back = tmp_path / "there", tmp_path / "back"
    back.mkdir()
    peer = random_models.peer("BertModel", "gelu").to(getattr(torch, dtype))
    peer.save_pretrained(there)
    hugging_face.write(hugging_face.read(str(there)), str(back))
    loaded = load_there("BertModel", back)
    assert loaded.dtype == torch.float32
    for name, weight in peer.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weight.float()), name


def test_an_encoder_without_pooler_gets_a_random_one_there(tmp_path, capsys):
    import transformers

    model = BUILDERS["unpooled_bert"](random_models.config("bert", "gelu"))
    hugging_face.write(random_models.stored(model, "unpooled_bert"), str(tmp_path))
    assert "pooler.dense.bias, pooler.dense.weight" in capsys.readouterr().err
    peer, report = transformers.AutoModel.from_pretrained(tmp_path, output_loading_info=True)
    assert sorted(report["missing_keys"]) == ["pooler.dense.bias", "pooler.dense.weight"]
    theirs = random_models.outputs_there(peer, "bert")["sequence_output"]
    ours = random_models.outputs_here(model, "bert")["sequence_output"]
    np.testing.assert_allclose(ours, theirs, **TOLERANCE)
    assert hugging_face.read(str(tmp_path)).model == "unpooled_bert"


def test_each_name_of_an_activation_is_the_function_here():
    import torch
    from transformers.activations import ACT2FN

    from bert_keras.layers.activations import ACTIVATIONS as FUNCTIONS

    x = np.linspace(-8, 8, 10001, dtype=np.float32)
    for theirs, ours in ACTIVATIONS.items():
        expected = ACT2FN[theirs](torch.tensor(x)).numpy()
        np.testing.assert_allclose(FUNCTIONS[ours](x), expected, rtol=0, atol=2e-6)
