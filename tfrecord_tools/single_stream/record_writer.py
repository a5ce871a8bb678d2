"""Writes records to several files in turn, which appear whole or not at all."""

import contextlib
from collections.abc import Iterator

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.files import remove_if_exists, unfinished_name


class RecordWriter:
    """Writes records to several files in turn; all files appear together at the end, or none.

    Until then they have a hidden name beside the final one.

    with RecordWriter(["a.tfrecord", "b.tfrecord"]) as writer:
        writer.write(record)

    Raises InputError, on entering and later, if a file cannot be written.
    """

    def __init__(self, output_files: list[str]):
        self._output_files = output_files
        self._unfinished_files = [unfinished_name(path) for path in output_files]
        self._writers: list[tf.io.TFRecordWriter] = []
        self._num_written = 0

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.callback(self._remove_unfinished)
            with _named_errors():
                for path in self._unfinished_files:
                    self._writers.append(tf.io.TFRecordWriter(path))
            stack.pop_all()
        return self

    def write(self, record: bytes) -> None:
        with _named_errors():
            self._writers[self._num_written % len(self._writers)].write(record)
        self._num_written += 1

    def __exit__(self, error_type, error, traceback):
        try:
            if error_type is None:
                self._finish()
        finally:
            self._remove_unfinished()

    def _finish(self) -> None:
        with _named_errors():
            for writer in self._writers:
                writer.close()
            for unfinished, path in zip(self._unfinished_files, self._output_files, strict=True):
                tf.io.gfile.rename(unfinished, path, overwrite=True)

    def _remove_unfinished(self) -> None:
        self._writers.clear()  # deletion closes them
        for path in self._unfinished_files:
            with contextlib.suppress(OSError):  # such as of a folder that is none
                remove_if_exists(path)


@contextlib.contextmanager
def _named_errors() -> Iterator[None]:
    """Turns what TensorFlow says of a file, its name included, into an InputError."""
    try:
        yield
    except tf.errors.OpError as error:
        raise InputError(
            "The folder of an output file must exist, take new files and have room: "
            f"{error.message}"
        ) from error
