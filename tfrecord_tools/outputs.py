"""Output files: their names, and that they appear whole or not at all."""

import contextlib
import os
from collections.abc import Iterator

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.files import remove_if_exists, unfinished_name


def split_output_files(words: list[str]) -> list[str]:
    """Splits names at their commas, except at commas in the path of a folder that exists.

    `words` come from a command line that was split at every comma.
    """
    words = ",".join(words).split(",")
    names = []
    start = 0
    while start < len(words):
        end = len(words)
        while end > start + 1 and not _is_in_existing_folder(words[start:end]):
            end -= 1
        names.append(",".join(words[start:end]).strip())
        start = end
    return names


def check_output_files(output_files: list[str], input_files: list[str]) -> None:
    """Raises InputError for an output that is no file to replace, an input or another output."""
    taken = {os.path.realpath(path) for path in input_files}
    for path in output_files:
        if not os.path.basename(path) or tf.io.gfile.isdir(path):
            raise InputError(
                f"Outputs must be named as files; received {path!r}. Give a path such as "
                f"{os.path.join(path, 'train.tfrecord')}"
            )
        real_path = os.path.realpath(path)
        if os.path.exists(real_path) and not os.path.isfile(real_path):
            raise InputError(
                f"An output replaces the file of its name; {path} is a device or a pipe. Give it "
                "another name."
            )
        if real_path in taken:
            raise InputError(
                f"An output must be a file of its own; {path} is an input or an output already. "
                "Give it another name."
            )
        taken.add(real_path)


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


def _is_in_existing_folder(words: list[str]) -> bool:
    """Whether all commas that would join the words lie in the path of an existing folder."""
    return "/" in words[-1] and tf.io.gfile.isdir(os.path.dirname(",".join(words)))
