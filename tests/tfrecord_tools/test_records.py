"""Records are read back, and what is none is named."""

import gzip

import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from tfrecord_tools.records import deserialize, read_records
from tfrecord_tools.single_stream.instances import Instance
from tfrecord_tools.single_stream.serialization import serialize

INSTANCE = Instance([2, 30521, 4, 3, 300, 3], 4, [2, 4], [129, 70000], True, 0)


@pytest.mark.parametrize("length", [6, 8, 128, 512])
def test_what_was_written_is_read(length):
    features = deserialize(serialize(INSTANCE, length, 20))
    assert features["input_ids"] == INSTANCE.tokens + [0] * (length - 6)
    assert sum(features["input_mask"]) == 6
    assert sum(features["masked_lm_weights"]) == 2.0


def test_deserialize_says_what_is_wrong():
    with pytest.raises(InputError, match="tf.train.Example"):
        deserialize(b"no example")
    with pytest.raises(InputError, match="lacks input_ids, input_mask"):
        deserialize(tf.train.Example().SerializeToString())
    example = tf.train.Example.FromString(serialize(INSTANCE, 8, 3))
    example.features.feature["segment_ids"].int64_list.value.append(1)
    with pytest.raises(InputError, match="Expected 8 values of segment_ids; the record holds 9"):
        deserialize(example.SerializeToString())


def test_plain_and_gzip_files_are_told_apart_by_content(tmp_path):
    plain, packed = tmp_path / "plain.gz", tmp_path / "packed"
    with tf.io.TFRecordWriter(str(plain)) as writer:
        writer.write(b"one")
        writer.write(b"two")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert list(read_records(str(plain))) == list(read_records(str(packed))) == [b"one", b"two"]


@pytest.mark.parametrize("content", [b"this is no record file", b"\x1f\x8b\x08nor is this GZIP"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match="Expected a TFRecord file.*past record 0"):
        list(read_records(str(path)))


def test_a_cut_off_file_names_the_last_sound_record(tmp_path):
    path = tmp_path / "file"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"one")
        writer.write(b"two")
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(InputError, match="past record 1"):
        list(read_records(str(path)))


def test_missing_files_and_folders_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="folder or does not exist"):
            list(read_records(str(path)))
