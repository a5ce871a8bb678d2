"""Rows keep what the order of the records promises: complete, repeatable, resumable anywhere."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.packed_pipeline import packed_evaluation_dataset, packed_pretraining_dataset
from bert_keras.errors import InputError
from tests.examples import serialized

NUM_RECORDS = (40, 1, 300)  # in three files; 256 are packed at a time
LENGTHS = {"max_seq_length": 8, "max_predictions_per_seq": 2}
S = 4


def record(number):
    """A record of 1 to 8 tokens that all are its number."""
    length = 1 + number * 5 % 8
    return serialized(
        {
            "input_ids": [number] * length + [0] * (8 - length),
            "input_mask": [1] * length + [0] * (8 - length),
            "segment_ids": [0] * 8,
            "masked_lm_positions": [0, 0],
            "masked_lm_ids": [number, 0],
            "masked_lm_weights": [1.0, 0.0],
            "next_sentence_labels": [number % 2],
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three files that hold records 1, 2, 3 …"""
    folder = tmp_path_factory.mktemp("records")
    numbers = itertools.count(1)
    for index, count in enumerate(NUM_RECORDS):
        with tf.io.TFRecordWriter(str(folder / f"{index}.tfrecord")) as writer:
            for number in itertools.islice(numbers, count):
                writer.write(record(number))
    return str(folder / "*.tfrecord")


def training(files, batch_size=8, seed=1, max_sequences_per_row=S, **arguments):
    return packed_pretraining_dataset(
        files,
        **LENGTHS,
        batch_size=batch_size,
        seed=seed,
        max_sequences_per_row=max_sequences_per_row,
        shuffle_buffer_size=50,
        **arguments,
    )


def evaluation(files, batch_size=8, max_sequences_per_row=S, **arguments):
    return packed_evaluation_dataset(
        files,
        **LENGTHS,
        batch_size=batch_size,
        max_sequences_per_row=max_sequences_per_row,
        **arguments,
    )


def ids(dataset):
    """The ids of all rows, [number of rows, 8]."""
    return np.concatenate([batch["input_ids"] for batch in dataset.as_numpy_iterator()])


@pytest.fixture(scope="module")
def whole(files):
    """The ids of the first 60 batches of 8 rows: a little more than two epochs."""
    return ids(training(files).take(60))


@pytest.fixture(scope="module")
def evaluated(files):
    """The batches of 8 rows of an evaluation."""
    return list(evaluation(files).as_numpy_iterator())


@pytest.fixture(scope="module")
def num_rows(evaluated):
    """Rows of one pass over all records."""
    return sum(len(batch["input_ids"]) for batch in evaluated)


def records_of(rows):
    """The numbers of the records in these rows, ascending."""
    return sorted(number for row in rows for number in set(row.tolist()) - {0})


def test_batches_have_static_shapes(files):
    tokens, predictions = tf.TensorSpec([8, 8], tf.int32), tf.TensorSpec([8, 2], tf.int32)
    places = tf.TensorSpec([8, S], tf.int32)
    assert training(files).element_spec == {
        "input_ids": tokens,
        "segment_ids": tokens,
        "position_ids": tokens,
        "sequence_ids": tokens,
        "first_token_positions": places,
        "masked_lm_positions": predictions,
        "masked_lm_ids": predictions,
        "masked_lm_weights": tf.TensorSpec([8, 2], tf.float32),
        "next_sentence_labels": places,
        "next_sentence_weights": tf.TensorSpec([8, S], tf.float32),
    }


def test_evaluation_is_one_pass_over_all_records(evaluated):
    rows = np.concatenate([batch["input_ids"] for batch in evaluated])
    assert records_of(rows) == list(range(1, 342))
    assert sum(batch["next_sentence_weights"].sum() for batch in evaluated) == 341
    assert sum(batch["masked_lm_weights"].sum() for batch in evaluated) == 341
    for batch in evaluated:  # each prediction is of its own record
        targets = np.take_along_axis(batch["input_ids"], batch["masked_lm_positions"], axis=1)
        predicted = batch["masked_lm_weights"] == 1
        np.testing.assert_array_equal(targets[predicted], batch["masked_lm_ids"][predicted])


def test_rows_are_nearly_full(evaluated):
    """One by one, records of 4.5 tokens on average would fill 56 %."""
    assert np.mean(np.concatenate([batch["input_ids"] for batch in evaluated]) > 0) > 0.95


def test_every_record_comes_once_in_an_epoch(whole, num_rows):
    first, second = whole[:num_rows], whole[num_rows : 2 * num_rows]
    assert records_of(first) == records_of(second) == list(range(1, 342))
    assert (first != second).any()


@pytest.mark.parametrize("start_step", [1, 53])  # an epoch has 193 rows
def test_the_stream_from_any_step_is_the_rest_of_the_whole_stream(files, whole, start_step):
    resumed = ids(training(files, start_step=start_step).take(4))
    np.testing.assert_array_equal(resumed, whole[start_step * 8 :][: 4 * 8])


def test_the_seed_chooses_the_order(files, whole):
    assert (ids(training(files, seed=2).take(1)) != whole[:8]).any()


def test_workers_share_the_batches_of_one_worker(files, whole):
    shares = [ids(training(files, worker_index=i, num_workers=2).take(3)) for i in range(2)]
    together = np.concatenate([share.reshape(3, 4, 8) for share in shares], axis=1)
    np.testing.assert_array_equal(together.reshape(24, 8), whole[:24])


def test_a_worker_without_a_row_gets_a_batch_without_rows(files, num_rows):
    workers = {"num_workers": num_rows - 1, "batch_size": num_rows - 1}
    shares = [evaluation(files, **workers, worker_index=index) for index in (0, 1)]
    sizes = [[len(batch["input_ids"]) for batch in share] for share in shares]
    assert sizes == [[1, 1], [1, 0]]


@pytest.mark.parametrize("make", [training, evaluation])
def test_a_row_has_a_place_at_least(files, make):
    with pytest.raises(InputError, match="max_sequences_per_row must be at least 1; received 0"):
        make(files, max_sequences_per_row=0)
