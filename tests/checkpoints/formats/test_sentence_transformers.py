"""How folders of Sentence-Transformers say their pooling."""

import json

import pytest

from bert_keras.checkpoints.formats.sentence_transformers import (
    lower_cases_text,
    read_pooling,
    transformer_folder,
    write_pooling,
)
from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.errors import InputError

EARLY = "sentence_transformers.models"
LATER = "sentence_transformers.sentence_transformer.modules"


def write(folder, modules, pooling=None, normalize=None) -> str:
    """A folder of modules, (type, path) each, with the configs of its pooling and scaling."""
    entries = [
        {"idx": index, "name": str(index), "path": path, "type": kind}
        for index, (kind, path) in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(entries))
    for name, config in (("1_Pooling", pooling), ("2_Normalize", normalize)):
        if config is not None:
            (folder / name).mkdir()
            (folder / name / "config.json").write_text(json.dumps(config))
    return str(folder)


def pooled(folder, config) -> str:
    modules = [(f"{EARLY}.Transformer", ""), (f"{EARLY}.Pooling", "1_Pooling")]
    return write(folder, modules, config)


@pytest.mark.parametrize(
    ("config", "modes"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ("cls",)),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, ("cls", "mean")),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, ("mean_sqrt_len",)),
        ({"pooling_mode_max_tokens": True, "pooling_mode_lasttoken": False}, ("max",)),
        ({"pooling_mode": "mean_sqrt_len_tokens", "include_prompt": True}, ("mean_sqrt_len",)),
        ({"pooling_mode": ["mean", "cls"]}, ("mean", "cls")),
        ({"pooling_mode": "max", "pooling_mode_mean_tokens": True}, ("max",)),
    ],
)
def test_modes_of_early_and_later_versions(tmp_path, config, modes):
    assert read_pooling(pooled(tmp_path, config)) == Pooling(modes, normalize=False)


@pytest.mark.parametrize("package", [EARLY, LATER, f"{LATER}.any_file"])
def test_modules_are_known_by_the_last_name(tmp_path, package):
    modules = [
        (f"{package}.Transformer", "0_Transformer"),
        (f"{package}.Pooling", "1_Pooling"),
        (f"{package}.Normalize", "2_Normalize"),
    ]
    folder = write(tmp_path, modules, {"pooling_mode": "cls"})
    assert read_pooling(folder) == Pooling(("cls",), normalize=True)
    assert transformer_folder(folder) == f"{folder}/0_Transformer"


def test_a_model_for_tokens_has_no_pooling(tmp_path):
    folder = str(tmp_path)
    assert (read_pooling(folder), transformer_folder(folder)) == (None, folder)
    write(tmp_path, [(f"{EARLY}.Transformer", "")])
    assert (read_pooling(folder), transformer_folder(folder)) == (None, folder)


@pytest.mark.parametrize(("normalize", "length"), [(True, None), (False, 256)])
@pytest.mark.parametrize("modes", [("mean",), ("cls", "max"), ("mean", "cls")])
def test_there_and_back_again(tmp_path, modes, normalize, length):
    write_pooling(Pooling(modes, normalize, length), str(tmp_path), 32)
    assert read_pooling(str(tmp_path)) == Pooling(modes, normalize, length)
    assert transformer_folder(str(tmp_path)) == str(tmp_path)
    assert not lower_cases_text(str(tmp_path))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"pooling_mode_weightedmean_tokens": True}, "pooling_mode_weightedmean_tokens"),
        ({"pooling_mode": "lasttoken"}, "lasttoken"),
        ({"pooling_mode": ["mean", 7]}, "mean.*7"),
        ({"pooling_mode": 7}, "Received: 7"),
        ({"pooling_mode_mean_tokens": False}, r"Received: \[\]"),
        ({"pooling_mode": "mean", "include_prompt": False}, "include_prompt must be True"),
        ([], "must be a JSON object"),
    ],
)
def test_another_pooling_is_refused_by_name(tmp_path, config, message):
    with pytest.raises(InputError, match=f"1_Pooling/config.json.*{message}") as refused:
        read_pooling(pooled(tmp_path, config))
    assert "okenizer" not in str(refused.value)


@pytest.mark.parametrize("length", [0, True, "256", [256]])
def test_a_length_that_is_none_is_refused_by_name(tmp_path, length):
    folder = pooled(tmp_path, {"pooling_mode": "mean"})
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length}))
    with pytest.raises(InputError, match="sentence_bert_config.json: max_seq_length must be"):
        read_pooling(folder)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (["Transformer", "Pooling", "Dense"], "Received: .*'Pooling', 'Dense'"),
        (["Transformer", "WeightedLayerPooling", "Pooling"], "WeightedLayerPooling"),
        (["Transformer", "Normalize", "Pooling"], "'Transformer', 'Normalize', 'Pooling'"),
        (["CLIPModel"], "Received: .*'CLIPModel'"),
        ([], "must be a Transformer"),
    ],
)
def test_other_modules_are_refused_by_name(tmp_path, kinds, message):
    folder = write(tmp_path, [(f"{EARLY}.{kind}", "") for kind in kinds])
    for read in (read_pooling, transformer_folder):
        with pytest.raises(InputError, match=f"modules.json.*{message}"):
            read(folder)


def test_code_of_a_model_is_not_taken_for_the_library(tmp_path):
    folder = write(tmp_path, [("modeling_mine.Transformer", "")])
    with pytest.raises(InputError, match="is not run. Received: 'modeling_mine.Transformer'"):
        read_pooling(folder)


def test_a_scaling_of_tokens_is_refused(tmp_path):
    modules = [
        (f"{EARLY}.Transformer", ""),
        (f"{EARLY}.Pooling", "1_Pooling"),
        (f"{EARLY}.Normalize", "2_Normalize"),
    ]
    scaling = {"module_input_name": "token_embeddings"}
    folder = write(tmp_path, modules, {"pooling_mode": "mean"}, scaling)
    with pytest.raises(InputError, match="module_input_name.*'token_embeddings'"):
        read_pooling(folder)


@pytest.mark.parametrize(
    "path", ["../other", "/etc", "a/../../b", "gs://bucket/b", "..\\other", "a\0"]
)
def test_modules_lie_in_the_folder(tmp_path, path):
    folder = write(tmp_path, [(f"{EARLY}.Transformer", path)])
    with pytest.raises(InputError, match="must lie in the model's folder"):
        transformer_folder(folder)


@pytest.mark.parametrize("content", ["{}", "7", "[", '[{"type": 7, "path": ""}]', "[[]]"])
def test_a_damaged_list_is_named(tmp_path, content):
    (tmp_path / "modules.json").write_text(content)
    with pytest.raises(InputError, match="modules.json"):
        read_pooling(str(tmp_path))
