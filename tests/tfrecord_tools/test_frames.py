"""Frames are those of TensorFlow's own writer."""

import tensorflow as tf

from tfrecord_tools.frames import frame

RECORDS = [b"", b"a", b"record" * 1000, bytes(range(256))]


def test_a_file_of_frames_is_that_of_tensorflow(tmp_path):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for record in RECORDS:
            writer.write(record)
    assert (tmp_path / "records").read_bytes() == b"".join(map(frame, RECORDS))
