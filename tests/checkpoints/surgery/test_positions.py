import dataclasses

import keras
import numpy as np
import pytest

from bert_keras.checkpoints.names import POSITIONS, WORDS
from bert_keras.checkpoints.surgery.positions import extend_positions
from bert_keras.errors import InputError
from bert_keras.models.bert import bert
from tests import golden_model
from tests.checkpoints.surgery import models

WAYS = ("copy", "interpolate")


@pytest.fixture
def stored():
    return models.of_arrays(models.tokenizer(["[UNK]", "a", "b", "c", "d"]))


def positions(stored) -> np.ndarray:
    return stored.weights.read(POSITIONS)


def test_copies_follow_one_another(stored):
    old, new = positions(stored), extend_positions(stored, 10, "copy")
    np.testing.assert_array_equal(positions(new), np.concatenate([old, old, old[:2]]))
    assert new.weights.shapes[POSITIONS] == (10, models.WIDTH)
    assert new.config.max_position_embeddings == 10


@pytest.mark.parametrize("num_positions", [5, 7, 8, 1024])
def test_interpolated_rows_lie_on_the_lines_between_the_old(stored, num_positions):
    old, new = positions(stored), positions(extend_positions(stored, num_positions, "interpolate"))
    places = np.arange(num_positions) * 3 / (num_positions - 1)
    expected = np.stack([np.interp(places, np.arange(4), column) for column in old.T], axis=1)
    np.testing.assert_allclose(new, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(new[[0, -1]], old[[0, -1]])
    assert new.dtype == np.float32


def test_odd_stretching_passes_through_every_old_row(stored):
    """4 rows to 7: every second one is old."""
    new = positions(extend_positions(stored, 7, "interpolate"))
    np.testing.assert_array_equal(new[::2], positions(stored))


@pytest.mark.parametrize("way", WAYS)
def test_shorter_table_has_the_first_rows(stored, way):
    new = extend_positions(stored, 2, way)
    np.testing.assert_array_equal(positions(new), positions(stored)[:2])
    assert new.config.max_position_embeddings == 2


def test_longer_and_shorter_again_is_the_original(stored):
    back = extend_positions(extend_positions(stored, 9, "copy"), 4, "copy")
    assert back.config == stored.config
    for name, value in models.values(stored).items():
        np.testing.assert_array_equal(models.values(back)[name], value)


def test_values_may_be_whatever_numpy_takes_for_an_array(stored):
    weights = dataclasses.replace(stored.weights, read=lambda name: positions(stored).tolist())
    new = extend_positions(dataclasses.replace(stored, weights=weights), 6, "copy")
    np.testing.assert_array_equal(positions(new)[4:], positions(stored)[:2])


def test_nothing_else_is_touched(stored):
    new = extend_positions(stored, 8, "copy")
    assert new.weights.read(WORDS) is stored.weights.read(WORDS)
    assert new.tokenizer is stored.tokenizer


def test_short_inputs_give_what_they_gave_and_long_ones_are_taken():
    stored = models.golden()
    model, report = models.loaded(extend_positions(stored, 100, "copy"), bert)
    inputs = golden_model.inputs(("input_ids", "input_mask", "segment_ids"))
    expected = golden_model.model(bert)(inputs)
    for name, value in model(inputs).items():
        np.testing.assert_array_equal(value, expected[name])
    assert not report.missing
    ones = keras.ops.ones((1, 100), "int32")
    assert model(dict.fromkeys(inputs, ones))["sequence_output"].shape == (1, 100, 32)


@pytest.mark.parametrize(
    ("num_positions", "way", "message"),
    [
        (0, "copy", "max_position_embeddings must be .* at least 1. Received: 0"),
        (2.5, "copy", "max_position_embeddings must be an integer"),
        (8, "mirror", "one of copy, interpolate. Received: 'mirror'"),
    ],
)
def test_impossible_wishes_are_errors(stored, num_positions, way, message):
    with pytest.raises(InputError, match=message):
        extend_positions(stored, num_positions, way)


def test_single_row_cannot_be_interpolated(stored):
    single = extend_positions(stored, 1, "copy")
    with pytest.raises(InputError, match="two positions or more.*new_positions=copy"):
        extend_positions(single, 3, "interpolate")
    repeated = positions(extend_positions(single, 3, "copy"))
    np.testing.assert_array_equal(repeated, np.repeat(positions(stored)[:1], 3, axis=0))


def test_table_must_be_there_and_as_the_config_says(stored):
    without = stored.weights.renamed({WORDS: WORDS})
    with pytest.raises(InputError, match=f"must hold {POSITIONS}. Received: arrays without"):
        extend_positions(dataclasses.replace(stored, weights=without), 8)
    longer = models.of_arrays(stored.tokenizer)
    config = dataclasses.replace(longer.config, max_position_embeddings=512)
    with pytest.raises(InputError, match=r"shape \[4, 3\] in arrays.*max_position_embeddings=512"):
        extend_positions(dataclasses.replace(longer, config=config), 1024)
