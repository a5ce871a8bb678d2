"""Which weights belong to the model that is wanted, and whose head a head is."""

import dataclasses

import numpy as np
import pytest

from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.errors import InputError
from tests.checkpoints import stored_models
from tests.checkpoints.conversion.converting import convert
from tests.checkpoints.stored_models import write


def test_missing_head_is_an_error_unless_it_may_be_fresh(tmp_path):
    write(stored_models.stored("bert"), f"{tmp_path}/in", "tf1")
    wanted = {"model": "classifier", "labels": ["no", "yes"]}
    with pytest.raises(InputError, match="2 are missing.*output_weights.*--allow_fresh"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face", **wanted)
    report = convert(
        f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face", allow_fresh=True, **wanted
    )
    assert report.fresh == report.missing == ["output_weights", "output_bias"]
    read = read_model(f"{tmp_path}/out")
    assert (read.model, read.config.labels) == ("classifier", ("no", "yes"))
    assert read.weights.shapes["output_weights"] == (2, 16)


@pytest.mark.slow
def test_one_model_alone_can_be_taken_out(tmp_path):
    write(stored_models.stored("pretrainer"), f"{tmp_path}/in", "tf1")
    report = convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1", model="masked_lm")
    assert report.unused == [
        "bert/pooler/dense/bias",
        "bert/pooler/dense/kernel",
        "cls/seq_relationship/output_bias",
        "cls/seq_relationship/output_weights",
    ]
    assert report.differences == {"masked_lm_logits": 0.0}


@pytest.mark.slow
def test_what_the_original_saves_besides_a_model_is_kept(tmp_path):
    """run_squad.py saves the pooler, which its model does not use."""
    bert, squad = stored_models.stored("bert"), stored_models.stored("question_answering")
    both = squad.weights.with_values(stored_models.values(bert) | stored_models.values(squad))
    write(dataclasses.replace(squad, weights=both, model=None), f"{tmp_path}/in", "tf1")
    assert convert(f"{tmp_path}/in", f"{tmp_path}/ours", "bert_keras").unused == []
    report = convert(f"{tmp_path}/in", f"{tmp_path}/theirs", "hugging_face")
    assert report.unused == ["bert/pooler/dense/bias", "bert/pooler/dense/kernel"]


@pytest.mark.parametrize(
    ("said", "wanted", "format_name"),
    [
        ("token_classifier", "classifier", "hugging_face"),
        ("classifier", "multiple_choice", "bert_keras"),
    ],
)
def test_head_of_another_model_is_not_taken_for_one_by_its_name(
    said, wanted, format_name, tmp_path, capsys
):
    write(stored_models.stored(said), f"{tmp_path}/in", format_name)
    settings = {"labels": ["p", "q", "r"]} if wanted == "classifier" else {}
    report = convert(
        f"{tmp_path}/in", f"{tmp_path}/out", "tf1", model=wanted, allow_fresh=True, **settings
    )
    assert {"output_weights", "output_bias"} <= {*report.fresh} & {*report.unused}
    assert f"its head is that of a {said} and not used" in capsys.readouterr().err


def test_of_a_checkpoint_that_does_not_say_it_the_flag_says_whose_head_it_is(tmp_path):
    """The original gives one name to the heads of all its programs."""
    original = stored_models.stored("token_classifier")
    write(dataclasses.replace(original, model=None), f"{tmp_path}/in", "tf1")
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face", model="token_classifier")
    stored_models.assert_same_values(read_model(f"{tmp_path}/out"), original)


def test_labels_name_the_outputs_of_a_head_that_had_no_names(tmp_path):
    original = stored_models.stored("classifier")
    config = dataclasses.replace(original.config, labels=())
    write(dataclasses.replace(original, config=config), f"{tmp_path}/in", "tf1")
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face", labels=["no", "maybe", "yes"])
    read = read_model(f"{tmp_path}/out")
    assert read.config.labels == ("no", "maybe", "yes")
    stored_models.assert_same_values(read, original)


@pytest.mark.parametrize(
    ("name", "value"),
    [("bert/pooler/dense/bias/adam_m", np.zeros((5, 5), np.float32)), ("global_step", np.zeros(2))],
)
def test_moment_of_another_shape_is_refused(name, value, tmp_path):
    original = stored_models.stored("bert", with_state=True)
    value = value.astype(np.int64 if name == "global_step" else np.float32)
    weights = original.weights.with_values({name: value})
    write(dataclasses.replace(original, weights=weights), f"{tmp_path}/in", "tf1")
    with pytest.raises(InputError, match=f"A moment has the shape of its weight.*{name}"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1")
