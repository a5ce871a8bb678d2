"""Every format into every other, and what each can hold, bit for bit."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.formats.detection import read_model
from tests import golden_model
from tests.checkpoints import stored_models
from tests.checkpoints.stored_models import write

HEADS = (
    "bert",
    "pretrainer",
    "masked_lm",
    "next_sentence",
    "classifier",
    "token_classifier",
    "multiple_choice",
    "question_answering",
)
STATE = ("adam_m", "adam_v", "global_step")


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(WRITERS, 2)))
def test_there_and_back_again_is_bit_identical_in_all_six_directions(first, second, tmp_path):
    original = stored_models.stored(with_state=True)
    source = original
    for number, format_name in enumerate((first, second, first)):
        folder = f"{tmp_path}/{number}"
        write(source, folder, format_name)
        source = read_model(folder)
    holds_no_state = "hugging_face" in (first, second)
    stored_models.assert_same_values(source, original, STATE if holds_no_state else ())
    assert (source.config, source.model) == (original.config, original.model)
    assert source.tokenizer.vocab == original.tokenizer.vocab


@pytest.mark.parametrize("checkpoint", ["bert_model.ckpt", "trained_model.ckpt-8"])
def test_checkpoints_of_the_original_come_back_byte_for_byte(checkpoint, tmp_path):
    """The second is of a run: Adam's moments and the step are in it."""
    write(read_model(f"{golden_model.FOLDER}/{checkpoint}"), f"{tmp_path}/ours", "bert_keras")
    write(read_model(f"{tmp_path}/ours"), f"{tmp_path}/theirs", "tf1")
    data = ".data-00000-of-00001"
    original = (golden_model.FOLDER / (checkpoint + data)).read_bytes()
    assert (tmp_path / "theirs" / ("bert_model.ckpt" + data)).read_bytes() == original


@pytest.mark.parametrize("format_name", WRITERS)
@pytest.mark.parametrize("model", HEADS)
def test_every_head_is_held_by_every_format(model, format_name, tmp_path):
    original = stored_models.stored(model, hidden_act="gelu_erf", layer_norm_epsilon=1e-6)
    assert write(original, f"{tmp_path}/model", format_name) == []
    read = read_model(f"{tmp_path}/model")
    stored_models.assert_same_values(read, original)
    assert (read.config, read.model) == (original.config, original.model)


@pytest.mark.parametrize("format_name", WRITERS)
def test_shards_hold_the_same(format_name, tmp_path):
    original = stored_models.stored()
    write(original, f"{tmp_path}/model", format_name, max_shard_size=4096)
    stored_models.assert_same_values(read_model(f"{tmp_path}/model"), original)
    pattern = "*data-*" if format_name != "hugging_face" else "*.safetensors"
    assert len(list((tmp_path / "model").glob(pattern))) > 2


def test_a_written_release_is_a_bundle_with_the_names_of_the_original(tmp_path):
    original = stored_models.stored(with_state=True)
    write(original, f"{tmp_path}/release", "tf1")
    reader = tf.train.load_checkpoint(f"{tmp_path}/release/bert_model.ckpt")
    assert reader.get_variable_to_shape_map().keys() == original.weights.shapes.keys()
    for name, value in stored_models.values(original).items():
        np.testing.assert_array_equal(reader.get_tensor(name), value, strict=True)
    files = {"bert_config.json", "vocab.txt", "bert_model.ckpt.index"}
    assert files < {path.name for path in (tmp_path / "release").iterdir()}
