import dataclasses
import json

import pytest

from bert_keras.config import NAMED_SIZES, BertConfig
from bert_keras.errors import InputError

CHINESE_KEYS = {"directionality": "bidi", "pooler_fc_size": 768, "pooler_type": "first_token"}


def test_defaults_are_those_of_bert_base():
    assert BertConfig(vocab_size=30522) == BertConfig.base()


@pytest.mark.parametrize("layers", [2, 4, 6, 8, 10, 12])
@pytest.mark.parametrize("width", [128, 256, 512, 768])
def test_every_released_size_has_a_name(layers, width):
    config = BertConfig.named(f"uncased_L-{layers}_H-{width}_A-{width // 64}")
    assert (config.num_hidden_layers, config.hidden_size) == (layers, width)
    assert (config.num_attention_heads, config.intermediate_size) == (width // 64, 4 * width)


@pytest.mark.parametrize("name", NAMED_SIZES)
def test_short_names_are_released_sizes(name):
    config = BertConfig.named(name)
    assert (config.num_hidden_layers, config.hidden_size) == NAMED_SIZES[name]


@pytest.mark.parametrize("name", ["huge", "L-3_H-128", "L-2_H-100", "uncased_L-2_H-128_A-4", ""])
def test_unknown_size_is_refused_with_the_names(name):
    with pytest.raises(InputError, match="tiny, mini, small"):
        BertConfig.named(name)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("vocab_size", 0),
        ("vocab_size", True),
        ("hidden_size", 768.0),
        ("num_hidden_layers", -1),
        ("num_attention_heads", "12"),
        ("num_attention_heads", 7),
        ("intermediate_size", None),
        ("hidden_act", "gleu"),
        ("hidden_dropout_prob", 1.0),
        ("hidden_dropout_prob", -0.1),
        ("attention_probs_dropout_prob", float("nan")),
        ("max_position_embeddings", 0),
        ("type_vocab_size", 0),
        ("initializer_range", 0.0),
        ("layer_norm_epsilon", float("inf")),
    ],
)
def test_impossible_value_is_refused_by_name(key, value):
    with pytest.raises(InputError, match=f"{key}.*Received"):
        BertConfig.from_dict({"vocab_size": 30522, key: value})


def test_what_is_no_dict_is_refused():
    with pytest.raises(InputError, match="Received: a NoneType"):
        BertConfig.from_dict(None)


def test_other_keys_replace_no_key_of_the_model():
    config = BertConfig(vocab_size=160, other_keys={"vocab_size": 7, "directionality": "bidi"})
    assert config.to_dict()["vocab_size"] == 160
    assert config.to_dict()["directionality"] == "bidi"


def test_missing_vocab_size_is_refused():
    with pytest.raises(InputError, match="vocab_size"):
        BertConfig.from_dict({"hidden_size": 128})


def test_unknown_keys_are_kept_with_one_notice_when_a_file_is_read(tmp_path, capsys):
    path = tmp_path / "bert_config.json"
    path.write_text(json.dumps({"vocab_size": 21128} | CHINESE_KEYS))
    config = BertConfig.from_json_file(path)
    notice = capsys.readouterr().err
    assert notice.startswith("notice: ") and notice.count("directionality") == 1
    assert CHINESE_KEYS.items() <= config.to_dict().items()
    assert BertConfig.from_dict(config.to_dict()) == config
    assert capsys.readouterr().err == ""


def test_a_layer_takes_a_config_or_its_dict():
    config = BertConfig.named("mini")
    assert BertConfig.of(config) is config
    assert BertConfig.of(config.to_dict()) == config


def test_file_and_back_changes_nothing(tmp_path):
    config = dataclasses.replace(BertConfig.named("mini"), layer_norm_epsilon=1e-5)
    path = tmp_path / "bert_config.json"
    path.write_text(config.to_json_string())
    assert BertConfig.from_json_file(path) == config


@pytest.mark.parametrize("content", ["", "{", "[1]", json.dumps({"vocab_size": "many"}), None])
def test_bad_file_is_refused_by_its_name(tmp_path, content):
    path = tmp_path / "bert_config.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=r"bert_config\.json"):
        BertConfig.from_json_file(path)


def test_folder_is_no_config(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        BertConfig.from_json_file(tmp_path)
