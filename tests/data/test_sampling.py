"""The first records of every file in numbers."""

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.records import check_first_records
from bert_keras.data.sampling import sample_records
from bert_keras.errors import InputError
from tests.examples import serialized

LENGTH, NUM_PREDICTIONS = 8, 3


def record(label=0, **changed):
    """[CLS] 10 11 [MASK] 12 [SEP] and padding; 20 and 21 are to be predicted."""
    features = {
        "input_ids": [2, 10, 11, 4, 12, 3, 0, 0],
        "input_mask": [1, 1, 1, 1, 1, 1, 0, 0],
        "segment_ids": [0, 0, 0, 1, 1, 1, 0, 0],
        "masked_lm_positions": [3, 4, 0],
        "masked_lm_ids": [20, 21, 0],
        "masked_lm_weights": np.float32([1, 1, 0]),
        "next_sentence_labels": [label],
    }
    return {name: values for name, values in (features | changed).items() if values is not None}


def unmasked(ids):
    """A record without masks: a pair of texts, [CLS] 2 and [SEP] 3 around them."""
    features = record(input_ids=ids, starts_word=[0] * LENGTH)
    return {name: values for name, values in features.items() if not name.startswith("masked")}


def sample(folder, *files, **options):
    """Writes each list of records to a file and looks into all."""
    paths = [str(folder / str(number)) for number in range(len(files))]
    for path, records in zip(paths, files, strict=True):
        with tf.io.TFRecordWriter(path) as writer:
            for features in records:
                writer.write(serialized(features))
    shards = check_first_records(paths, LENGTH, NUM_PREDICTIONS)
    return sample_records(shards, LENGTH, NUM_PREDICTIONS, **options)


def test_ids_labels_and_words_of_every_file(tmp_path):
    other = record(label=1, input_ids=[2, 99, 3, 0, 0, 0, 0, 0], masked_lm_ids=[98, 21, 0])
    found = sample(tmp_path, [record(), record()], [record(), other])
    first, second = found.ranges.values()
    assert first == {"input_ids": (0, 12), "segment_ids": (0, 1), "masked_lm_ids": (0, 21)}
    assert second == {"input_ids": (0, 99), "segment_ids": (0, 1), "masked_lm_ids": (0, 98)}
    assert found.labels.tolist() == [0, 0, 0, 1]
    assert found.words.tolist() == [20, 21] * 3 + [98, 21]


def test_words_of_records_without_masks(tmp_path):
    found = sample(tmp_path, [unmasked([2, 10, 3, 11, 12, 3, 0, 0])])
    assert found.words.tolist() == [10, 11, 12]
    assert list(found.ranges.popitem()[1]) == ["input_ids", "segment_ids"]


@pytest.mark.parametrize(("num_records", "expected"), [(4, 2), (5, 2), (1, 1), (100, 3)])
def test_every_file_gives_as_many(tmp_path, num_records, expected):
    found = sample(tmp_path, [record()] * 3, [record(1)] * 3, num_records=num_records)
    assert found.labels.tolist() == [0] * expected + [1] * expected


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"input_ids": [2] * 16}, "--max_seq_length=8, but .*/1 was made with --max_seq_length=16"),
        ({"segment_ids": None}, "those of .*/1 lack segment_ids"),
        ({"next_sentence_labels": [0, 1]}, "Expected 1 values of next_sentence_labels; .*/1 holds"),
    ],
)
def test_a_later_record_of_another_kind(tmp_path, changed, message):
    with pytest.raises(InputError, match=message):
        sample(tmp_path, [record()], [record(), record(**changed)])


def test_a_file_with_both_kinds(tmp_path):
    with pytest.raises(InputError, match="none of them; .*/0 holds both"):
        sample(tmp_path, [record(), unmasked([2, 10, 3, 11, 12, 3, 0, 0])])


def test_a_later_record_that_is_damaged(tmp_path):
    sample(tmp_path, [record()] * 3)
    content = (tmp_path / "0").read_bytes()
    (tmp_path / "0").write_bytes(content[:-6] + b"damage")
    shards = check_first_records([str(tmp_path / "0")], LENGTH, NUM_PREDICTIONS)
    with pytest.raises(InputError, match="/0 is none, or is damaged"):
        sample_records(shards, LENGTH, NUM_PREDICTIONS)
