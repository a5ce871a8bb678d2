import random

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.files.bundle_index import LARGEST_INDEX, read_index
from bert_keras.errors import InputError
from tests.checkpoints.files import bundle_tables


def test_an_index_of_several_blocks_is_read(tmp_path):
    names = [f"scope_{random.Random(number).random()}/{number}" for number in range(6000)]
    bundle.write(str(tmp_path / "x"), {name: np.zeros((), "f4") for name in names})
    num_files, entries = read_index(str(tmp_path / "x.index"))
    assert num_files == 1
    assert entries.keys() == set(names)
    assert {entry.dtype for entry in entries.values()} == {tf.float32.as_datatype_enum}


def test_tables_of_the_fuzz_test_are_what_tensorflow_reads(tmp_path):
    """What is refused there is refused for its fault."""
    bundle.write(str(tmp_path / "x"), {name: np.full(3, 7, "f4") for name in "abcdefgh"})
    index = tmp_path / "x.index"
    index.write_bytes(bundle_tables.write(bundle_tables.read(index.read_bytes())))
    reader = tf.train.load_checkpoint(str(tmp_path / "x"))
    weights = bundle.open_weights(tmp_path / "x")
    for name in "abcdefgh":
        np.testing.assert_array_equal(reader.get_tensor(name), [7, 7, 7])
        np.testing.assert_array_equal(weights.read(name), [7, 7, 7])


def test_a_huge_index_is_refused_unread(tmp_path):
    path = tmp_path / "x.index"
    with path.open("wb") as file:
        file.truncate(LARGEST_INDEX + 1)  # of holes
    with pytest.raises(InputError, match=f"an index of {LARGEST_INDEX + 1} bytes"):
        read_index(str(path))
