"""Rows that hold several examples: every example once, whole, where it fits."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.data import packing


def largest_first(sizes, limits, max_sequences):
    """The same rule in plain Python."""
    rows, places = [], [None] * len(sizes)
    for example in sorted(range(len(sizes)), key=lambda example: -sizes[example][0]):
        for members in rows:
            totals = np.sum([sizes[member] for member in (*members, example)], axis=0)
            if len(members) < max_sequences and np.all(totals <= limits):
                break
        else:
            rows.append(members := [])
        places[example] = [rows.index(members), len(members)]
        members.append(example)
    return places


def examples(lengths, num_predictions, length=8, most_predictions=3):
    """Features of pre-training; all numbers differ, so that no two can be mixed up."""
    count = len(lengths)
    tokens = 1 + np.arange(count * length).reshape(count, length)
    input_mask = np.arange(length) < np.reshape(lengths, [-1, 1])
    predicted = np.arange(most_predictions) < np.reshape(num_predictions, [-1, 1])
    positions = np.arange(most_predictions)
    features = {
        "input_ids": tokens * input_mask,
        "input_mask": input_mask,
        "segment_ids": (tokens % 2) * input_mask,
        "masked_lm_positions": positions * predicted,
        "masked_lm_ids": (1000 + tokens[:, :most_predictions]) * predicted,
        "next_sentence_labels": np.arange(count).reshape(-1, 1) % 2,
    }
    features = {name: tf.constant(value, tf.int32) for name, value in features.items()}
    return features | {"masked_lm_weights": tf.constant(predicted, tf.float32)}


SIZES = st.tuples(st.integers(1, 8), st.integers(0, 3)).map(lambda size: (size[0], min(size)))


@given(st.lists(SIZES, max_size=20), st.integers(3, 5), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_first_fit_is_that_of_plain_python(sizes, most_predictions, max_sequences):
    limits = [8, most_predictions]
    array = tf.constant(sizes, tf.int32, shape=[len(sizes), 2])
    places = packing.first_fit(array, limits, max_sequences).numpy().tolist()
    assert places == largest_first(sizes, limits, max_sequences)


@pytest.mark.parametrize(
    ("lengths", "max_sequences", "places"),
    [
        ([5, 3, 2, 6], 4, [[1, 0], [1, 1], [0, 1], [0, 0]]),  # 6 + 2, 5 + 3
        ([8, 8], 4, [[0, 0], [1, 0]]),
        ([1], 4, [[0, 0]]),
        ([], 4, []),
        ([1, 1, 1, 1, 1], 2, [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]]),  # places run out, not room
    ],
)
def test_known_places(lengths, max_sequences, places):
    sizes = tf.constant(lengths, tf.int32, shape=[len(lengths), 1])
    assert packing.first_fit(sizes, [8], max_sequences).numpy().tolist() == places


def test_the_number_of_rows_is_one_more_than_the_last():
    assert packing.num_rows(tf.constant([[1, 0], [0, 0]])) == 2
    assert packing.num_rows(tf.zeros([0, 2], tf.int32)) == 0


def test_a_row_has_room_for_its_predictions_too():
    places = packing.first_fit(tf.constant([[3, 2], [2, 2], [1, 1]]), [8, 3], 4)
    assert places.numpy().tolist() == [[0, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize("size", [[9, 1], [1, 4]])
def test_an_example_larger_than_a_row_is_an_error(size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="larger than a row"):
        packing.first_fit(tf.constant([size]), [8, 3], 4)


def test_rows_written_by_hand():
    """Examples of 3, 8 and 4 tokens with 1, 2 and 2 predictions; rows of 8, 3 and 2 places."""
    features = examples([3, 8, 4], [1, 2, 2])
    places = tf.constant([[1, 1], [0, 0], [1, 0]])
    expected = {
        "input_ids": [[9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 1, 2, 3, 0]],
        "segment_ids": [[1, 0, 1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 1, 0, 1, 0]],
        "position_ids": [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 0, 1, 2, 0]],
        "sequence_ids": [[1] * 8, [1, 1, 1, 1, 2, 2, 2, 0]],
        "first_token_positions": [[0, 0], [0, 4]],
        "masked_lm_positions": [[0, 1, 0], [0, 1, 4 + 0]],
        "masked_lm_ids": [[1009, 1010, 0], [1017, 1018, 1001]],
        "masked_lm_weights": [[1, 1, 0], [1, 1, 1]],
        "next_sentence_labels": [[1, 0], [0, 0]],
        "next_sentence_weights": [[1, 0], [1, 1]],
    }
    packed = packing.pack(features, places, 2, [8, 3], 2)
    assert {name: value.numpy().tolist() for name, value in packed.items()} == expected


@given(st.lists(SIZES, max_size=12), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_every_example_comes_out_of_the_rows_as_it_went_in(sizes, max_sequences):
    features = examples([size[0] for size in sizes], [size[1] for size in sizes])
    places = packing.first_fit(packing.sizes(features), [8, 4], max_sequences)
    rows = packing.pack(features, places, packing.num_rows(places), [8, 4], max_sequences)
    for name in ("input_ids", "segment_ids"):
        values = rows[name][..., tf.newaxis]
        unpacked = packing.unpack(values, rows, places, features["input_mask"])[..., 0]
        np.testing.assert_array_equal(unpacked, features[name])
    assert np.count_nonzero(rows["sequence_ids"]) == sum(size[0] for size in sizes)
    targets = tf.gather(rows["input_ids"], rows["masked_lm_positions"], batch_dims=1)
    pairs = np.stack([targets, rows["masked_lm_ids"]], axis=-1)[rows["masked_lm_weights"] == 1]
    expected = np.stack(
        [
            tf.gather(features["input_ids"], features["masked_lm_positions"], batch_dims=1),
            features["masked_lm_ids"],
        ],
        axis=-1,
    )[features["masked_lm_weights"] == 1]
    assert sorted(pairs.tolist()) == sorted(expected.tolist())
    labels = tf.gather_nd(rows["next_sentence_labels"], places)
    np.testing.assert_array_equal(labels, features["next_sentence_labels"][:, 0])
    assert np.sum(rows["next_sentence_weights"]) == len(sizes)
