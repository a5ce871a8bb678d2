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
from tests.masking_cases import MODES, VOCAB_SIZE, masking

RECORDS_OF_FILES = (200, 1, 311)
NUM_RECORDS = 512
LENGTH, NUM_PREDICTIONS = 16, 5


def write(path, features, numbers):
    """Records of two segments of 6 words; all words of a record are its number, from 1000 on."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in numbers:
            word = VOCAB_SIZE + number
            values = {name: [0] * feature.shape[0] for name, feature in features.items()}
            values |= {
                "input_ids": [2, *[word] * 6, 3, *[word] * 6, 3, 0],
                "input_mask": [1] * 15 + [0],
                "segment_ids": [0] * 8 + [1] * 7 + [0],
                "next_sentence_labels": [number % 2],
            }
            if "starts_word" in features:
                values["starts_word"] = [0, *[1] * 6, 0, *[1] * 6, 0, 0]
            example = tf.train.Example()
            for name, feature in features.items():
                stored = example.features.feature[name]
                kind = stored.int64_list if feature.dtype == "int64" else stored.float_list
                kind.value.extend(values[name])
            writer.write(example.SerializeToString())


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


def test_the_order_is_that_of_masked_records(folder):
    expected = pretraining_dataset(str(folder / "masked-*"), LENGTH, NUM_PREDICTIONS, 5, seed=1)
    labels = [b["next_sentence_labels"] for b in expected.take(120).as_numpy_iterator()]
    rows = rows_of(training(folder).take(120).as_numpy_iterator())
    np.testing.assert_array_equal(rows["next_sentence_labels"], np.concatenate(labels))
    words = [b["input_ids"][:, 1] for b in expected.take(120).as_numpy_iterator()]
    np.testing.assert_array_equal(numbers_of(rows), np.concatenate(words) - VOCAB_SIZE)


@pytest.mark.parametrize("start_step", [1, 203, 205])  # a block ends at 204.8
def test_the_stream_from_any_step_is_the_rest_of_the_whole_stream(folder, start_step):
    whole = training(folder).skip(start_step).take(3).as_numpy_iterator()
    resumed = training(folder, start_step=start_step).take(3).as_numpy_iterator()
    assert_same(rows_of(whole), rows_of(resumed))


def test_masks_do_not_depend_on_the_size_of_batches(folder):
    expected = rows_of(training(folder, 1280).take(1).as_numpy_iterator())
    for batch_size in (5, 64):
        batches = training(folder, batch_size).take(1280 // batch_size)
        assert_same(rows_of(batches.as_numpy_iterator()), expected)


def test_every_epoch_has_masks_of_its_own(folder):
    epochs = rows_of(training(folder, NUM_RECORDS).take(3).as_numpy_iterator())
    number = numbers_of(epochs).reshape(3, NUM_RECORDS)
    in_order = np.argsort(number, axis=1)
    np.testing.assert_array_equal(np.sort(number, axis=1), [np.arange(NUM_RECORDS)] * 3)
    positions = epochs["masked_lm_positions"].reshape(3, NUM_RECORDS, NUM_PREDICTIONS)
    positions = np.take_along_axis(positions, in_order[..., None], axis=1)
    for first, other in itertools.combinations(positions, 2):
        assert np.mean(np.all(first == other, axis=1)) < 0.1  # 4 of 12 are the same 1 in 495


def test_seeds_choose_the_masks(folder):
    batches = [rows_of(training(folder, 64, seed).take(1).as_numpy_iterator()) for seed in (1, 2)]
    positions = [batch["masked_lm_positions"] for batch in batches]
    assert np.mean(np.all(positions[0] == positions[1], axis=1)) < 0.1


def test_nothing_but_the_seed_chooses_the_masks(folder):
    """TensorFlow's global seed and the number of threads do not."""
    expected = rows_of(training(folder, 512, mode="span").take(3).as_numpy_iterator())
    for num_threads in (1, 7):
        tf.random.set_seed(num_threads)
        options = tf.data.Options()
        options.threading.private_threadpool_size = num_threads
        options.threading.max_intra_op_parallelism = num_threads
        options.autotune.enabled = num_threads == 7
        batches = training(folder, 512, mode="span").with_options(options).take(3)
        assert_same(rows_of(batches.as_numpy_iterator()), expected)


def test_known_masks(folder):
    """They must not change between versions: runs that were interrupted are resumed with them."""
    batch = rows_of(training(folder, 3).take(1).as_numpy_iterator())
    np.testing.assert_array_equal(numbers_of(batch), [110, 71, 357])
    expected = [[4, 9, 10, 12, 0], [1, 5, 9, 12, 0], [4, 6, 10, 13, 0]]
    np.testing.assert_array_equal(batch["masked_lm_positions"], expected)


@pytest.mark.parametrize("batch_size", [7, 64, 2000])
def test_an_evaluation_has_the_same_masks_every_time(folder, batch_size):
    expected = rows_of(evaluation(folder, NUM_RECORDS).as_numpy_iterator())
    np.testing.assert_array_equal(numbers_of(expected), np.arange(NUM_RECORDS))
    batches = list(evaluation(folder, batch_size).as_numpy_iterator())
    assert {len(batch["input_ids"]) for batch in batches[:-1]} <= {batch_size}
    assert_same(rows_of(batches), expected)


@pytest.mark.parametrize("make", [training, evaluation])
def test_workers_share_the_batches_of_one(folder, make):
    expected = rows_of(make(folder, 6).take(11).as_numpy_iterator())
    shares = [
        make(folder, 6, worker_index=index, num_workers=2).take(11).as_numpy_iterator()
        for index in range(2)
    ]
    assert_same(rows_of(rows_of(pair) for pair in zip(*shares, strict=True)), expected)


def test_each_kind_of_records_has_its_reader(folder):
    with pytest.raises(InputError, match="Expected unmasked records; .*/masked-0 are masked"):
        dynamic_evaluation_dataset(str(folder / "masked-*"), LENGTH, some_masking(), 5)
    with pytest.raises(InputError, match="Expected masked records; .*/unmasked-0 are unmasked"):
        evaluation_dataset(str(folder / "unmasked-*"), LENGTH, NUM_PREDICTIONS, 5)


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
