"""The order of the records: repeatable, resumable anywhere, complete."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.pipeline import evaluation_dataset, pretraining_dataset
from bert_keras.data.records import check_first_records
from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files
from tests.examples import serialized

NUM_RECORDS = (23, 1, 40)  # in three files
LENGTHS = {"max_seq_length": 8, "max_predictions_per_seq": 2}


def record(number):
    """A record that can be told from others by all its ids."""
    return serialized(
        {
            "input_ids": [number] * 8,
            "input_mask": [1] * 8,
            "segment_ids": [0] * 8,
            "masked_lm_positions": [1, 2],
            "masked_lm_ids": [number, number],
            "masked_lm_weights": [1.0, 0.0],
            "next_sentence_labels": [number % 2],
        }
    )


@pytest.fixture(params=["", "GZIP"], ids=["plain", "gzip"])
def files(tmp_path, request):
    """Paths of three files that hold records 0, 1, 2 ..."""
    numbers = itertools.count()
    for index, count in enumerate(NUM_RECORDS):
        with tf.io.TFRecordWriter(str(tmp_path / f"{index}.tfrecord"), request.param) as writer:
            for number in itertools.islice(numbers, count):
                writer.write(record(number))
    return str(tmp_path / "*.tfrecord")


def training_numbers(files, num_batches, *, batch_size=5, seed=1, **arguments):
    """The first records of the stream as their numbers: [num_batches * batch_size]."""
    dataset = pretraining_dataset(files, **LENGTHS, batch_size=batch_size, seed=seed, **arguments)
    batches = [batch["input_ids"][:, 0] for batch in dataset.take(num_batches).as_numpy_iterator()]
    return np.concatenate(batches).tolist()


def test_batches(files):
    dataset = pretraining_dataset(files, **LENGTHS, batch_size=5, seed=1)
    specification = {
        "input_ids": tf.TensorSpec([5, 8], tf.int32),
        "input_mask": tf.TensorSpec([5, 8], tf.int32),
        "segment_ids": tf.TensorSpec([5, 8], tf.int32),
        "masked_lm_positions": tf.TensorSpec([5, 2], tf.int32),
        "masked_lm_ids": tf.TensorSpec([5, 2], tf.int32),
        "masked_lm_weights": tf.TensorSpec([5, 2], tf.float32),
        "next_sentence_labels": tf.TensorSpec([5, 1], tf.int32),
    }
    assert dataset.element_spec == specification
    batch = next(dataset.as_numpy_iterator())
    np.testing.assert_array_equal(batch["masked_lm_ids"][:, 0], batch["input_ids"][:, 0])
    np.testing.assert_array_equal(batch["masked_lm_positions"], [[1, 2]] * 5)
    np.testing.assert_array_equal(batch["masked_lm_weights"], [[1.0, 0.0]] * 5)
    np.testing.assert_array_equal(batch["next_sentence_labels"], batch["input_ids"][:, :1] % 2)


@pytest.mark.parametrize("shuffle_buffer_size", [10, 1000])
def test_every_record_comes_once_in_an_epoch(files, shuffle_buffer_size):
    epochs = training_numbers(files, 3, batch_size=64, shuffle_buffer_size=shuffle_buffer_size)
    epochs = np.reshape(epochs, [3, 64])
    np.testing.assert_array_equal(np.sort(epochs, axis=1), [np.arange(64)] * 3)
    assert len({tuple(epoch) for epoch in epochs}) == 3


@pytest.mark.parametrize(  # an epoch has 64 records, a batch 5
    ("start_step", "shuffle_buffer_size"), [(1, 10), (12, 10), (13, 1000), (26, 10), (64, 1000)]
)
def test_the_stream_from_any_step_is_the_rest_of_the_whole_stream(
    files, start_step, shuffle_buffer_size
):
    whole = training_numbers(files, start_step + 15, shuffle_buffer_size=shuffle_buffer_size)
    resumed = training_numbers(
        files, 15, start_step=start_step, shuffle_buffer_size=shuffle_buffer_size
    )
    assert resumed == whole[start_step * 5 :]


def test_seeds_choose_the_order(files):
    orders = {tuple(training_numbers(files, 12, seed=seed)) for seed in (0, 1, 2, -1, 2**40)}
    assert len(orders) == 5


def test_nothing_but_seed_and_epoch_chooses_the_order(files):
    """TensorFlow's global seed and the number of threads do not."""
    expected = training_numbers(files, 30)
    tf.random.set_seed(3)
    assert training_numbers(files, 30) == expected
    dataset = pretraining_dataset(files, **LENGTHS, batch_size=5, seed=1)
    for num_threads in (1, 7):
        options = tf.data.Options()
        options.threading.private_threadpool_size = num_threads
        options.threading.max_intra_op_parallelism = num_threads
        options.autotune.enabled = num_threads == 7
        batches = dataset.with_options(options).take(30).as_numpy_iterator()
        assert np.concatenate([b["input_ids"][:, 0] for b in batches]).tolist() == expected


def test_a_known_order(files):
    """The order must not change between versions: runs that were interrupted are resumed in it."""
    assert training_numbers(files, 2) == [14, 61, 8, 6, 40, 45, 50, 42, 46, 52]


def test_neighbors_in_a_file_are_drawn_apart(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for number in range(1000):
            writer.write(record(number))
    order = np.array(training_numbers(tmp_path / "records", 10, batch_size=100))
    assert np.mean(np.abs(np.diff(order)) == 1) < 0.01
    assert abs(np.corrcoef(order, np.arange(1000))[0, 1]) < 0.1


@pytest.mark.parametrize("batch_size", [1, 7, 64, 100])
def test_evaluation_is_one_pass_in_the_order_of_the_files(files, batch_size):
    dataset = evaluation_dataset(files, **LENGTHS, batch_size=batch_size)
    batches = [batch["input_ids"][:, 0] for batch in dataset.as_numpy_iterator()]
    assert np.concatenate(batches).tolist() == list(range(64))
    assert {len(batch) for batch in batches[:-1]} <= {batch_size}


def test_shards_that_were_checked_are_not_read_again(files, monkeypatch):
    expected = training_numbers(files, 8)
    shards = check_first_records(expand_input_files(files), **LENGTHS)
    monkeypatch.setattr("bert_keras.data.pipeline.check_first_records", None)
    assert training_numbers(shards, 8) == expected
    dataset = evaluation_dataset(shards, **LENGTHS, batch_size=64)
    assert next(dataset.as_numpy_iterator())["input_ids"][:, 0].tolist() == list(range(64))


@pytest.mark.parametrize("argument", ["batch_size", "shuffle_buffer_size"])
def test_sizes_are_positive(files, argument):
    with pytest.raises(InputError, match=f"{argument} must be at least 1; received 0"):
        training_numbers(files, 1, **{argument: 0})


def test_the_step_is_not_negative(files):
    with pytest.raises(InputError, match="start_step must be at least 0; received -1"):
        training_numbers(files, 1, start_step=-1)


@pytest.fixture(params=[[10], [10, 10, 1]], ids=["one file", "three files"])
def few_files(tmp_path, request):
    """Fewer files than workers made some of them stop (NVIDIA/DeepLearningExamples#192)."""
    numbers = itertools.count()
    for index, count in enumerate(request.param):
        with tf.io.TFRecordWriter(str(tmp_path / f"{index}.tfrecord")) as writer:
            for number in itertools.islice(numbers, count):
                writer.write(record(number))
    return str(tmp_path / "*.tfrecord"), sum(request.param)


def numbers_of_batches(dataset):
    return [batch["input_ids"][:, 0].tolist() for batch in dataset.as_numpy_iterator()]


@pytest.mark.parametrize(("num_workers", "start_step"), [(5, 0), (2, 3)])
def test_workers_share_the_batches_of_one_worker(few_files, num_workers, start_step):
    files, num_records = few_files

    def batches(**workers):
        dataset = pretraining_dataset(
            files, **LENGTHS, batch_size=10, seed=1, start_step=start_step, **workers
        )
        return numbers_of_batches(dataset.take(3))

    shares = [batches(worker_index=i, num_workers=num_workers) for i in range(num_workers)]
    assert {len(rows) for share in shares for rows in share} == {10 // num_workers}
    together = [sum(rows, []) for rows in zip(*shares, strict=True)]
    assert together == batches()
    if start_step == 0:
        assert sorted(sum(together, [])[:num_records]) == list(range(num_records))


@pytest.mark.parametrize(("num_workers", "batch_size"), [(2, 4), (2, 12), (5, 5)])
def test_workers_evaluate_every_record_once_in_equally_many_batches(
    few_files, num_workers, batch_size
):
    files, num_records = few_files
    shares = [
        numbers_of_batches(
            evaluation_dataset(
                files, **LENGTHS, batch_size=batch_size, worker_index=i, num_workers=num_workers
            )
        )
        for i in range(num_workers)
    ]
    batches = [sum(rows, []) for rows in zip(*shares, strict=True)]
    assert sum(batches, []) == list(range(num_records))


def test_a_worker_may_get_a_batch_without_rows(tmp_path):
    """2 workers, batches of 4, 10 records: the last batch has 2 rows, both of the first worker."""
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for number in range(10):
            writer.write(record(number))
    dataset = evaluation_dataset(
        tmp_path / "records", **LENGTHS, batch_size=4, worker_index=1, num_workers=2
    )
    assert numbers_of_batches(dataset) == [[2, 3], [6, 7], []]
    *_, last = dataset
    assert last["input_ids"].shape == (0, 8)
    assert last["masked_lm_weights"].shape == (0, 2)


@pytest.mark.parametrize(
    ("workers", "message"),
    [
        ({"num_workers": 2}, "must be a multiple of num_workers=2; received 5"),
        ({"num_workers": 0}, "num_workers must be at least 1; received 0"),
        ({"worker_index": -1}, "worker_index must be at least 0; received -1"),
        (
            {"worker_index": 5, "num_workers": 5},
            "worker_index must be less than num_workers=5; received 5",
        ),
    ],
)
@pytest.mark.parametrize("make", [pretraining_dataset, evaluation_dataset])
def test_workers_that_cannot_be_are_refused(files, make, workers, message):
    seed = {"seed": 1} if make is pretraining_dataset else {}
    with pytest.raises(InputError, match=message):
        make(files, **LENGTHS, batch_size=5, **seed, **workers)
