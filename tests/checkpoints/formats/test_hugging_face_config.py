import dataclasses

import pytest

from bert_keras.checkpoints.formats.hugging_face_config import from_hugging_face, to_hugging_face
from bert_keras.config import HIDDEN_ACTIVATIONS, BertConfig
from bert_keras.errors import InputError

SIZES = {
    "vocab_size": 100,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 16,
}
# what transformers 5.24 writes for BertForSequenceClassification
STORED = SIZES | {
    "add_cross_attention": False,
    "architectures": ["BertForSequenceClassification"],
    "attention_probs_dropout_prob": 0.2,
    "bos_token_id": None,
    "classifier_dropout": None,
    "dtype": "float32",
    "eos_token_id": None,
    "hidden_act": "gelu_new",
    "hidden_dropout_prob": 0.3,
    "id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"},
    "initializer_range": 0.01,
    "is_decoder": False,
    "label2id": {"contradiction": 0, "entailment": 2, "neutral": 1},
    "layer_norm_eps": 1e-11,
    "model_type": "bert",
    "pad_token_id": 0,
    "problem_type": "single_label_classification",
    "tie_word_embeddings": True,
    "transformers_version": "5.24.0",
    "type_vocab_size": 3,
    "use_cache": True,
}


def test_there_and_back_loses_nothing():
    config, model = from_hugging_face(STORED)
    assert to_hugging_face(config, model, num_classes=3) == STORED


def test_each_key_means_ours():
    config, model = from_hugging_face(STORED)
    assert model == "classifier"
    assert config == BertConfig(
        **SIZES,
        hidden_act="gelu",
        hidden_dropout_prob=0.3,
        attention_probs_dropout_prob=0.2,
        type_vocab_size=3,
        initializer_range=0.01,
        layer_norm_epsilon=1e-11,
        labels=("contradiction", "neutral", "entailment"),
        problem_type="single_label_classification",
    )


@pytest.mark.parametrize("hidden_act", HIDDEN_ACTIVATIONS)
def test_ours_comes_back(hidden_act):
    config = BertConfig(**SIZES, hidden_act=hidden_act, labels=("a", "b"), other_keys={"x": [1]})
    back, model = from_hugging_face(to_hugging_face(config, "token_classifier", num_classes=2))
    assert (back, model) == (config, "token_classifier")
    assert back.other_keys == {"x": [1]}


@pytest.mark.parametrize(
    "theirs, ours",
    [("gelu", "gelu_erf"), ("gelu_python", "gelu_erf"), ("gelu_pytorch_tanh", "gelu")],
)
def test_the_two_forms_of_gelu_have_other_names_there(theirs, ours):
    config, _ = from_hugging_face(SIZES | {"hidden_act": theirs})
    assert config.hidden_act == ours
    assert from_hugging_face(SIZES)[0].hidden_act == "gelu_erf"  # the default there


@pytest.mark.parametrize(
    "architecture, keys, labels",
    [
        ("BertForSequenceClassification", {}, ("LABEL_0", "LABEL_1")),
        ("BertForTokenClassification", {"num_labels": 3}, ("LABEL_0", "LABEL_1", "LABEL_2")),
        ("BertForSequenceClassification", {"num_labels": 1}, ("LABEL_0",)),
        ("BertForMultipleChoice", {"num_labels": 3}, ()),
        ("BertForMaskedLM", {}, ()),
        ("BertModel", {"id2label": {"1": "b", "0": "a"}}, ("a", "b")),
    ],
)
def test_labels_stand_in_the_order_of_their_ids(architecture, keys, labels):
    config, _ = from_hugging_face(SIZES | {"architectures": [architecture]} | keys)
    assert config.labels == labels


def test_ids_of_labels_that_disagree_are_told(capsys):
    values = STORED | {"label2id": {"contradiction": 2, "neutral": 1, "entailment": 0}}
    assert from_hugging_face(values)[0].labels == ("contradiction", "neutral", "entailment")
    assert "label2id" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["classifier", "token_classifier"])
def test_a_classifier_has_as_many_labels_as_rows(model):
    values = to_hugging_face(BertConfig(**SIZES), model, num_classes=3)
    assert values["id2label"] == {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    with pytest.raises(InputError, match="7.*Received: 2"):
        to_hugging_face(BertConfig(**SIZES, labels=("a", "b")), model, num_classes=7)


@pytest.mark.parametrize(
    "keys", [{"labels": ("a", "b", "c")}, {"other_keys": {"num_labels": 4}}, {}]
)
def test_the_two_rows_for_start_and_end_need_no_labels(keys):
    """transformers would build a row for each label."""
    values = to_hugging_face(BertConfig(**SIZES, **keys), "question_answering", None)
    assert {"id2label", "label2id", "num_labels"}.isdisjoint(values)


def test_weights_are_said_to_be_float32_as_they_are_written():
    config, _ = from_hugging_face(SIZES | {"torch_dtype": "float16", "dtype": "bfloat16"})
    values = to_hugging_face(config, "bert", num_classes=None)
    assert (values["torch_dtype"], values["dtype"]) == ("float32", "float32")


@pytest.mark.parametrize("architectures", [None, [], ["MyBert"], "BertModel", [3]])
def test_an_architecture_that_is_not_known_is_left_open(architectures):
    assert from_hugging_face(SIZES | {"architectures": architectures})[1] is None


@pytest.mark.parametrize(
    "key, value",
    [
        ("model_type", "roberta"),
        ("model_type", None),
        ("position_embedding_type", "relative_key"),
        ("is_decoder", True),
        ("add_cross_attention", True),
        ("pruned_heads", {"0": [1]}),
        ("hidden_act", "silu"),
        ("hidden_act", ["gelu"]),
        ("vocab_size", "100"),
        ("hidden_size", 33),
        ("num_labels", -1),
        ("num_labels", 10**12),
        ("num_labels", "3"),
        ("pad_token_id", "0"),
        ("eos_token_id", [1, None]),
        ("bos_token_id", True),
        ("id2label", ["a", "b"]),
        ("id2label", {"1": "a", "2": "b"}),
        ("id2label", {"0": "a", "1": 1}),
        ("id2label", {"0": "a", "1": "a"}),
    ],
)
def test_what_is_no_bert_of_the_paper_is_refused_by_its_key(key, value):
    named = "labels must differ" if value == {"0": "a", "1": "a"} else key
    with pytest.raises(InputError, match=named):
        from_hugging_face(SIZES | {key: value})


def test_ids_of_tokens_may_be_several_or_none():
    ids = {"pad_token_id": 0, "eos_token_id": [1, 2], "bos_token_id": None}
    assert from_hugging_face(SIZES | ids)[0].other_keys == ids


def test_what_belongs_to_the_files_that_were_read_is_not_written():
    theirs = {"quantization_config": {"bits": 4}, "auto_map": {"AutoModel": "code.MyBert"}}
    assert from_hugging_face(SIZES | theirs)[0].other_keys == {}
    kept = BertConfig(**SIZES, other_keys=theirs | {"x": 1})
    values = to_hugging_face(kept, "bert", num_classes=None)
    assert theirs.keys().isdisjoint(values) and values["x"] == 1


def test_two_numbers_of_labels_are_refused():
    with pytest.raises(InputError, match="num_labels and id2label must agree"):
        from_hugging_face(STORED | {"num_labels": 4})


def test_names_of_ours_mean_nothing_there():
    config, _ = from_hugging_face(SIZES | {"labels": ["a"], "layer_norm_epsilon": 0.1})
    assert (config.labels, config.layer_norm_epsilon) == ((), 1e-12)
    assert dataclasses.replace(config, labels=("a",)).other_keys == {}
