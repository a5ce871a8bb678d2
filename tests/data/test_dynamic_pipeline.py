"""Fresh masks in every epoch: repeatable, resumable anywhere, the same for any batch size."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.dynamic_pipeline import (
    dynamic_evaluation_dataset,
    dynamic_pretraining_dataset,
)
from bert_keras.data.features import pretraining_features, unmasked_features
from bert_keras.data.pipeline import evaluation_dataset, pretraining_dataset
from bert_keras.errors import InputError
from tests.examples import serialized
from tests.masking_cases import MODES, VOCAB_SIZE, masking

RECORDS_OF_FILES = (200, 1, 311)
NUM_RECORDS = 512
LENGTH, NUM_PREDICTIONS = 16, 5


def write(path, features, numbers):
    """Records of two segments of 6 words; all words of a record are its number, from 1000 on."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in numbers:
            word = VOCAB_SIZE + number
            values = {name: np.zeros(each.shape, each.dtype) for name, each in features.items()}
            values |= {
                "input_ids": [2, *[word] * 6, 3, *[word] * 6, 3, 0],
                "input_mask": [1] * 15 + [0],
                "segment_ids": [0] * 8 + [1] * 7 + [0],
                "next_sentence_labels": [number % 2],
            }
            if "starts_word" in features:
                values["starts_word"] = [0, *[1] * 6, 0, *[1] * 6, 0, 0]
            writer.write(serialized(values))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the same records twice: unmasked in three files, and with masks."""
    folder = tmp_path_factory.mktemp("records")
    numbers = itertools.count()
    for index, count in enumerate(RECORDS_OF_FILES):
        of_file = list(itertools.islice(numbers, count))
        write(folder / f"unmasked-{index}", unmasked_features(LENGTH), of_file)
        write(folder / f"masked-{index}", pretraining_features(LENGTH, NUM_PREDICTIONS), of_file)
    return folder


def some_masking(mode="token"):
    return masking(mode, masked_lm_prob=0.3, max_predictions_per_seq=NUM_PREDICTIONS)


def training(folder, batch_size=5, seed=1, mode="token", **arguments):
    return dynamic_pretraining_dataset(
        str(folder / "unmasked-*"), LENGTH, some_masking(mode), batch_size, seed, **arguments
    )


def evaluation(folder, batch_size, mode="token", **arguments):
    return dynamic_evaluation_dataset(
        str(folder / "unmasked-*"), LENGTH, some_masking(mode), batch_size, **arguments
    )


def rows_of(batches):
    """The rows of batches as one dict of arrays."""
    batches = list(batches)
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


def assert_same(first, other):
    assert first.keys() == other.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], other[name], err_msg=name)


def numbers_of(rows):
    """The number of the record that each row shows, which any of its words tells."""
    return rows["masked_lm_ids"][:, 0] - VOCAB_SIZE


def test_batches_look_like_those_of_masked_records(folder):
    arguments = (LENGTH, NUM_PREDICTIONS, 5)
    masked = pretraining_dataset(str(folder / "masked-*"), *arguments, seed=1)
    assert training(folder).element_spec == masked.element_spec
    masked = evaluation_dataset(str(folder / "masked-*"), *arguments)
    assert evaluation(folder, 5).element_spec == masked.element_spec


@pytest.mark.parametrize("mode", MODES)
def test_the_text_is_there_once_the_labels_are_put_back(folder, mode):
    rows = rows_of(evaluation(folder, NUM_RECORDS, mode).as_numpy_iterator())
    tokens, weights = rows["input_ids"], rows["masked_lm_weights"].astype(bool)
    np.testing.assert_array_equal(weights.sum(axis=1), 4)  # 0.3 of 15, rounded to even
    row, column = np.nonzero(weights)
    tokens[row, rows["masked_lm_positions"][row, column]] = rows["masked_lm_ids"][row, column]
    words = range(VOCAB_SIZE, VOCAB_SIZE + NUM_RECORDS)
    expected = [[2, *[word] * 6, 3, *[word] * 6, 3, 0] for word in words]
    np.testing.assert_array_equal(tokens, expected)


@pytest.fixture(scope="module")
def stream(folder):
    """The first 1,050 rows of the stream of `training`, of two epochs and two blocks."""
    return rows_of(training(folder).take(210).as_numpy_iterator())


def part(rows, begin, end):
    return {name: values[begin:end] for name, values in rows.items()}


def test_the_order_is_that_of_masked_records(folder, stream):
    masked = pretraining_dataset(str(folder / "masked-*"), LENGTH, NUM_PREDICTIONS, 50, seed=1)
    expected = rows_of(masked.take(21).as_numpy_iterator())
    np.testing.assert_array_equal(stream["next_sentence_labels"], expected["next_sentence_labels"])
    np.testing.assert_array_equal(numbers_of(stream), expected["input_ids"][:, 1] - VOCAB_SIZE)


@pytest.mark.parametrize("start_step", [1, 203, 205])  # a block ends at 204.8
def test_the_stream_from_any_step_is_the_rest_of_the_whole_stream(folder, stream, start_step):
    resumed = rows_of(training(folder, start_step=start_step).take(4).as_numpy_iterator())
    assert_same(resumed, part(stream, 5 * start_step, 5 * start_step + 20))


def test_masks_do_not_depend_on_the_size_of_batches(folder, stream):
    batches = training(folder, 350).take(3)
    assert_same(rows_of(batches.as_numpy_iterator()), stream)


def test_every_epoch_has_masks_of_its_own(stream):
    epochs = []
    for begin in (0, NUM_RECORDS):
        epoch = part(stream, begin, begin + NUM_RECORDS)
        order = np.argsort(numbers_of(epoch))
        np.testing.assert_array_equal(numbers_of(epoch)[order], np.arange(NUM_RECORDS))
        epochs.append(epoch["masked_lm_positions"][order])
    assert np.mean(np.all(epochs[0] == epochs[1], axis=1)) < 0.02  # 4 of 12 agree 1 in 495 times


def test_seeds_choose_the_masks(folder, stream):
    other = rows_of(training(folder, 350, seed=2).take(3).as_numpy_iterator())
    positions = "masked_lm_positions"
    assert np.mean(np.all(other[positions] == stream[positions], axis=1)) < 0.02


@pytest.mark.parametrize("num_threads", [1, 7])
def test_nothing_but_the_seed_chooses_the_masks(folder, stream, num_threads):
    """TensorFlow's global seed and the number of threads do not."""
    tf.random.set_seed(num_threads)
    options = tf.data.Options()
    options.threading.private_threadpool_size = num_threads
    options.threading.max_intra_op_parallelism = num_threads
    options.autotune.enabled = num_threads == 7
    batches = training(folder).with_options(options).take(210)
    assert_same(rows_of(batches.as_numpy_iterator()), stream)


def test_known_masks(stream):
    """They must not change between versions: runs that were interrupted are resumed with them."""
    np.testing.assert_array_equal(numbers_of(stream)[:3], [110, 71, 357])
    expected = [[4, 9, 10, 12, 0], [1, 5, 9, 12, 0], [4, 6, 10, 13, 0]]
    np.testing.assert_array_equal(stream["masked_lm_positions"][:3], expected)


def test_an_evaluation_has_the_same_masks_every_time(folder):
    expected = rows_of(evaluation(folder, NUM_RECORDS).as_numpy_iterator())
    np.testing.assert_array_equal(numbers_of(expected), np.arange(NUM_RECORDS))
    batches = list(evaluation(folder, 7).as_numpy_iterator())
    assert {len(batch["input_ids"]) for batch in batches[:-1]} == {7}
    assert_same(rows_of(batches), expected)


def test_workers_share_the_batches_of_one(folder, stream):
    shares = [
        training(folder, 350, worker_index=index, num_workers=2).take(3).as_numpy_iterator()
        for index in range(2)
    ]
    assert_same(rows_of(rows_of(pair) for pair in zip(*shares, strict=True)), stream)


def test_workers_share_the_batches_of_an_evaluation(folder):
    shares = [evaluation(folder, 100, worker_index=index, num_workers=2) for index in range(2)]
    shares = [list(share.as_numpy_iterator()) for share in shares]
    assert [len(batch["input_ids"]) for batch in shares[0]] == [50, 50, 50, 50, 50, 12]
    assert [len(batch["input_ids"]) for batch in shares[1]] == [50, 50, 50, 50, 50, 0]
    rows = rows_of(rows_of(pair) for pair in zip(*shares, strict=True))
    np.testing.assert_array_equal(numbers_of(rows), np.arange(NUM_RECORDS))


def test_each_kind_of_records_has_its_reader(folder):
    with pytest.raises(InputError, match="Expected unmasked records; .*/masked-0 are masked"):
        dynamic_evaluation_dataset(str(folder / "masked-*"), LENGTH, some_masking(), 5)
    with pytest.raises(InputError, match="Expected masked records; .*/unmasked-0 are unmasked"):
        evaluation_dataset(str(folder / "unmasked-*"), LENGTH, NUM_PREDICTIONS, 5)


def test_fresh_masks_cannot_be_none(folder):
    for dataset in (training, evaluation):
        with pytest.raises(InputError, match="token, whole_word, ngram or span. Received: none"):
            dataset(folder, batch_size=5, mode="none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1; received 0"),
        ({"start_step": -1}, "start_step must be at least 0; received -1"),
        ({"shuffle_buffer_size": 0}, "shuffle_buffer_size must be at least 1; received 0"),
        ({"num_workers": 2}, "must be a multiple of num_workers=2; received 5"),
    ],
)
def test_numbers_that_cannot_work(folder, arguments, message):
    with pytest.raises(InputError, match=message):
        training(folder, **arguments)
