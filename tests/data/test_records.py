"""What is said of files that cannot be used, before a run begins."""

import gzip

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.data.features import pretraining_features, unmasked_features
from bert_keras.data.pipeline import evaluation_dataset, pretraining_dataset
from bert_keras.data.records import check_first_records, count_records
from bert_keras.errors import InputError
from tests.examples import serialized


def write_records(path, num_records=3, length=128, num_predictions=20, **changed):
    """Writes records of zeros; `changed` replaces features, None leaves them out."""
    features = pretraining_features(length, num_predictions)
    return write_features(path, features, num_records, **changed)


def write_unmasked_records(path, length=128, **changed):
    return write_features(path, unmasked_features(length), 3, **changed)


def write_features(path, features, num_records, **changed):
    zeros = {name: np.zeros(feature.shape, feature.dtype) for name, feature in features.items()}
    values = {name: changed.get(name, zero) for name, zero in zeros.items()}
    record = serialized({name: value for name, value in values.items() if value is not None})
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(num_records):
            writer.write(record)
    return str(path)


def check(*paths, length=128, num_predictions=20):
    return check_first_records([str(path) for path in paths], length, num_predictions)


def test_agreeing_files(tmp_path):
    first, second = write_records(tmp_path / "a"), write_records(tmp_path / "b", num_records=2000)
    assert count_records(check(first, second)) == 2003


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((128, 10), "received --max_predictions_per_seq=10, but .*--max_predictions_per_seq=20"),
        ((64, 20), "received --max_seq_length=64, but .*was made with --max_seq_length=128"),
        (
            (64, 10),
            "--max_seq_length=64 --max_predictions_per_seq=10, but .*"
            "--max_seq_length=128 --max_predictions_per_seq=20",
        ),
    ],
)
@pytest.mark.parametrize("dataset", [pretraining_dataset, evaluation_dataset])
def test_flags_that_do_not_match_the_records(tmp_path, dataset, asked, message):
    path = write_records(tmp_path / "a.tfrecord")
    arguments = {"seed": 1} if dataset is pretraining_dataset else {}
    with pytest.raises(InputError, match=message) as caught:
        dataset(path, *asked, batch_size=2, **arguments)
    assert path in str(caught.value)


def test_the_offending_file_of_a_mixture_is_named(tmp_path):
    paths = [write_records(tmp_path / f"{index}.tfrecord") for index in range(4)]
    write_records(paths[2], num_predictions=10)
    with pytest.raises(InputError, match=r"received --max_predictions_per_seq=20, but .*/2\.tfr"):
        check(*paths)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"masked_lm_ids": None}, "lack masked_lm_ids"),
        ({"segment_ids": None, "input_mask": None}, "lack input_mask, segment_ids"),
        ({"segment_ids": [0] * 100}, "Expected 128 values of segment_ids; .* holds 100"),
        ({"masked_lm_weights": [0.0] * 19}, "Expected 20 values of masked_lm_weights; .* holds 19"),
        ({"next_sentence_labels": [0, 1]}, "Expected 1 values of next_sentence_labels"),
    ],
)
def test_records_of_another_kind(tmp_path, changed, message):
    with pytest.raises(InputError, match=message):
        check(write_records(tmp_path / "a", **changed))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("input_ids", [-1] + [0] * 127, "input_ids from 0 to 2147483647; .* holds -1"),
        ("masked_lm_ids", [2**31] + [0] * 19, "masked_lm_ids from 0 to .* holds 2147483648"),
        ("input_mask", [7] + [0] * 127, "input_mask from 0 to 1; .* holds 7"),
        ("masked_lm_positions", [128] + [0] * 19, "masked_lm_positions from 0 to 127; .* 128"),
        ("masked_lm_weights", [0.5] + [0.0] * 19, "masked_lm_weights from 0 to 1; .* holds 0.5"),
        ("masked_lm_weights", [float("nan")] + [0.0] * 19, "masked_lm_weights .* holds nan"),
        ("next_sentence_labels", [2], "next_sentence_labels from 0 to 1; .* holds 2"),
    ],
)
def test_numbers_that_no_feature_holds(tmp_path, name, values, message):
    with pytest.raises(InputError, match=message):
        check(write_records(tmp_path / "a", **{name: values}))


def test_records_without_masks(tmp_path):
    """They may get any number of predictions; an empty file is of neither kind."""
    paths = [write_unmasked_records(tmp_path / name) for name in ("a", "b")]
    (tmp_path / "empty").write_bytes(b"")
    for num_predictions in (5, 20):
        shards = check(*paths, tmp_path / "empty", num_predictions=num_predictions)
        assert [(shard.path, shard.is_masked) for shard in shards] == [(p, False) for p in paths]
    assert [shard.is_masked for shard in check(write_records(tmp_path / "masked"))] == [True]


def test_records_with_and_without_masks(tmp_path):
    masked, unmasked = write_records(tmp_path / "a"), write_unmasked_records(tmp_path / "b")
    with pytest.raises(InputError, match="received both: those of .*/a do, those of .*/b do not"):
        check(unmasked, masked)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"segment_ids": None}, "lack segment_ids"),
        ({"starts_word": [0] * 127}, "Expected 128 values of starts_word; .* holds 127"),
        ({"starts_word": [2] + [0] * 127}, "starts_word from 0 to 1; .* holds 2"),
        ({"length": 64}, "received --max_seq_length=128, but .*was made with --max_seq_length=64"),
    ],
)
def test_records_without_masks_of_another_kind(tmp_path, changed, message):
    with pytest.raises(InputError, match=message):
        check(write_unmasked_records(tmp_path / "a", **changed))


def test_a_feature_of_another_type(tmp_path):
    features = pretraining_features(2, 1).items()
    record = serialized({name: [0.0] * feature.shape[0] for name, feature in features})
    with tf.io.TFRecordWriter(str(tmp_path / "a")) as writer:
        writer.write(record)
    with pytest.raises(InputError, match="lack input_ids, .* another type"):
        check(tmp_path / "a", length=2, num_predictions=1)


def test_records_that_are_no_examples(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "a")) as writer:
        writer.write(b"\xff\xff\xff a line of text")
    with pytest.raises(InputError, match="records of tf.train.Example; .*/a holds others"):
        check(tmp_path / "a")


def truncated(content):
    return content[:-20]


def flipped(content):
    return content[:-50] + bytes([content[-50] ^ 1]) + content[-49:]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("damage", [truncated, flipped])
@pytest.mark.parametrize("num_records", [1, 3])
def test_damaged_files(tmp_path, compress, damage, num_records):
    """Damage in the first record is found at once; any other when records are counted."""
    whole = write_records(tmp_path / "whole", num_records)
    damaged = tmp_path / "damaged"
    content = compress((tmp_path / "whole").read_bytes())
    damaged.write_bytes(damage(content))
    with pytest.raises(InputError, match="TFRecord file; .*/damaged is none, or is damaged"):
        count_records(check(whole, damaged))


@pytest.mark.parametrize(
    "content", [b"{}\n", b"A line of text, and another, as long as a header.\n", b"\x1f\x8b\x08no"]
)
def test_files_that_are_no_tfrecords(tmp_path, content):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(InputError, match="TFRecord file; .*/text is none, or is damaged"):
        check(tmp_path / "text")


def test_empty_files(tmp_path, capsys):
    """A shard may have got no record; if none has any there is nothing to train on."""
    empty, full = tmp_path / "empty", write_records(tmp_path / "full")
    empty.write_bytes(b"")
    assert [shard.path for shard in check(empty, full)] == [full]
    assert capsys.readouterr().err == f"notice: {empty} holds no record; it is passed over.\n"
    empty_gzip = tmp_path / "empty.gz"
    empty_gzip.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match="received 2 empty files, such as .*empty"):
        check(empty, empty_gzip)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match="missing cannot be read"):
        check(tmp_path / "missing")
