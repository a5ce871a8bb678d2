import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.bert import bert, hidden_states
from tests import golden_model

TOKEN_INPUTS = ("input_ids", "input_mask", "segment_ids")


@pytest.fixture(scope="module")
def model():
    return golden_model.model(bert)


def run(model, ids, mask=None, segments=None):
    ids = np.asarray(ids)
    return model(
        {
            "input_ids": ids,
            "input_mask": np.ones_like(ids) if mask is None else np.asarray(mask),
            "segment_ids": np.zeros_like(ids) if segments is None else np.asarray(segments),
        }
    )


def test_every_layer_equals_the_original(model):
    expected = golden_model.arrays("forward.npz")
    states = keras.Model(model.inputs, hidden_states(model))(golden_model.inputs(TOKEN_INPUTS))
    names = ["embedding_output", "encoder_layer_0", "encoder_layer_1", "encoder_layer_2"]
    for state, name in zip(states, names, strict=True):
        np.testing.assert_allclose(state, expected[name], atol=1e-5, rtol=0, err_msg=name)


def test_outputs_equal_the_original(model):
    expected = golden_model.arrays("forward.npz")
    outputs = model(golden_model.inputs(TOKEN_INPUTS))
    for name in ("sequence_output", "pooled_output"):
        np.testing.assert_allclose(outputs[name], expected[name], atol=1e-5, rtol=0)


@pytest.mark.parametrize("length", [8, 16, 40])
@pytest.mark.parametrize("padding_id", [0, 7])
def test_padding_changes_nothing(model, length, padding_id):
    """Masks once got lost when embeddings were added (CyberZHG/keras-bert#171)."""
    ids = [[2, 31, 32, 0, 33, 3]]
    padding = length - 6
    plain = run(model, ids)
    padded = run(model, [ids[0] + [padding_id] * padding], [[1] * 6 + [0] * padding])
    np.testing.assert_allclose(
        padded["sequence_output"][:, :6], plain["sequence_output"], atol=1e-5, rtol=0
    )
    np.testing.assert_allclose(padded["pooled_output"], plain["pooled_output"], atol=1e-5, rtol=0)


def test_token_with_id_0_is_attended_to(model):
    seen = run(model, [[2, 31, 0, 3]])["sequence_output"]
    hidden = run(model, [[2, 31, 0, 3]], [[1, 1, 0, 1]])["sequence_output"]
    assert np.abs(seen - hidden).max() > 1e-3


def test_row_of_padding_stays_finite_and_alone(model):
    ids = [[2, 31, 3], [0, 0, 0]]
    outputs = run(model, ids, [[1, 1, 1], [0, 0, 0]])
    assert np.isfinite(outputs["sequence_output"]).all()
    np.testing.assert_allclose(
        outputs["sequence_output"][:1], run(model, ids[:1])["sequence_output"], atol=1e-6
    )


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int64, np.bool_])
def test_mask_of_any_type_means_the_same(model, kind):
    mask = np.array([[1, 1, 1, 0]])
    expected = run(model, [[2, 31, 3, 0]], mask)["pooled_output"]
    actual = run(model, [[2, 31, 3, 0]], mask.astype(kind))["pooled_output"]
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("ids", [[[160]], [[-1]]])
def test_id_outside_the_vocabulary_is_an_error(model, ids):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input_ids .*vocab_size =[^0-9]*160"):
        run(model, ids)


def test_segment_outside_its_table_is_an_error(model):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"segment_ids .*type_vocab_size =[^0-9]*2"
    ):
        run(model, [[2, 3]], segments=[[0, 2]])


def test_too_long_sequence_names_both_numbers(model):
    with pytest.raises((InputError, ValueError), match=r"41 positions.*=40"):
        run(model, np.zeros([1, 41], np.int32))


def test_too_long_sequence_is_an_error_where_the_length_was_unknown(model):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def pooled(ids):
        inputs = {"input_ids": ids, "input_mask": tf.ones_like(ids), "segment_ids": 0 * ids}
        return model(inputs)["pooled_output"]

    assert pooled(tf.zeros([1, 40], tf.int32)).shape == (1, 32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_position_embeddings"):
        pooled(tf.zeros([1, 41], tf.int32))


def test_saved_model_file_and_clone_compute_the_same(model, tmp_path):
    inputs = golden_model.inputs(TOKEN_INPUTS)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    for again in (loaded, clone):
        np.testing.assert_array_equal(
            again(inputs)["pooled_output"], model(inputs)["pooled_output"]
        )


def test_number_of_weights_of_cased_base_is_that_of_the_released_file():
    with keras.StatelessScope():  # shapes only
        assert bert(BertConfig.base(vocab_size=28996)).count_params() == 108_310_272
