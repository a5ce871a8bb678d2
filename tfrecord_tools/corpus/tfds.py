"""A data set of TensorFlow Datasets -> blocks of JSON lines, one example a line.

So what workers get is a block as from a file, and they need no TensorFlow.
"""

import contextlib
import json
import logging
import sys
from collections.abc import Iterator

import numpy as np

from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.notices import notify
from tfrecord_tools.corpus.blocks import BLOCK_BYTES, Block
from tfrecord_tools.corpus.decoding import decode, notify_of_invalid_lines
from tfrecord_tools.corpus.settings import CorpusSettings


def read_blocks(settings: CorpusSettings) -> Iterator[Block]:
    """Yields a split in its order; the number of an example takes the place of that of a line.

    Raises:
      InputError: the data set cannot be had, or has no such split or field of text.
    """
    source = f"{settings.tfds}, split {settings.tfds_split}"
    lines: list[bytes] = []
    first_line, num_bytes = 1, 0
    for text in _texts(settings, source):
        lines.append(json.dumps({settings.text_field: text}, ensure_ascii=False).encode() + b"\n")
        num_bytes += len(lines[-1])
        if num_bytes >= BLOCK_BYTES:
            yield Block(source, first_line, b"".join(lines), first_line)
            first_line += len(lines)
            lines, num_bytes = [], 0
    if lines:
        yield Block(source, first_line, b"".join(lines), first_line)


def _texts(settings: CorpusSettings, source: str) -> Iterator[str]:
    num_invalid: list[int] = []
    for number, raw_text in enumerate(_raw_texts(settings, source), start=1):
        example = f"{source}, example {number}"
        yield decode(raw_text, example, 1, settings.encoding_errors, num_invalid.append)
    notify_of_invalid_lines(sum(num_invalid), settings.encoding_errors)


def _raw_texts(settings: CorpusSettings, source: str) -> Iterator[bytes]:
    import_tensorflow_quietly()
    logging.getLogger("absl").setLevel(logging.ERROR)  # no word on files that it looks for
    try:
        import tensorflow_datasets
    except ImportError as error:
        raise InputError(
            "--tfds needs the package tensorflow-datasets: pip install 'bert_keras[data]'"
        ) from error
    builder = _prepared(tensorflow_datasets, settings)
    _check_text_field(builder.info.features, settings)
    only_text = tensorflow_datasets.decode.PartialDecoding({settings.text_field: True})
    try:
        examples = builder.as_dataset(
            split=settings.tfds_split, shuffle_files=False, decoders=only_text
        )
    except ValueError as error:
        raise InputError(
            f"--tfds_split must be a split of {settings.tfds}, whole or in part: "
            f"{', '.join(builder.info.splits)[:200]}. Received: {settings.tfds_split}"
        ) from error
    for example in examples.as_numpy_iterator():
        yield example[settings.text_field]


def _prepared(tensorflow_datasets, settings: CorpusSettings):
    """Returns the builder of a data set that lies on the disk, downloaded if need be."""
    try:
        builder = tensorflow_datasets.builder(settings.tfds, data_dir=settings.tfds_data_dir)
        if not builder.is_prepared():
            notify(f"{settings.tfds} is not in {builder.data_path}: downloading it")
            with contextlib.redirect_stdout(sys.stderr):
                builder.download_and_prepare()
    except Exception as error:  # of the network, of the data set's own code, of missing packages
        reason = (str(error).strip().splitlines() or [""])[0][:200].rstrip(".")
        raise InputError(
            f"The data set {settings.tfds} cannot be had: {type(error).__name__}: {reason}. Check "
            "the name, the network, and --tfds_data_dir if it is on the disk already."
        ) from error
    return builder


def _check_text_field(features, settings: CorpusSettings) -> None:
    fields = dict(features.items()) if hasattr(features, "items") else {}
    feature = fields.get(settings.text_field)
    if feature is None or feature.shape != () or np.dtype(feature.np_dtype) != np.object_:
        raise InputError(
            f"--text_field must be a text of {settings.tfds}, whose fields are "
            f"{', '.join(fields)[:200] or 'none'}. Received: {settings.text_field}"
        )
