import dataclasses
from pathlib import Path

import numpy as np
import pytest

from bert_keras.checkpoints.files.stored_tensor import LEAST_MAPPED, StoredTensor, check_bounds
from bert_keras.errors import InputError


def stored(path, offset=0, num_bytes=LEAST_MAPPED, shape=None) -> StoredTensor:
    return StoredTensor(
        str(path), offset, num_bytes, "float32", shape or (num_bytes // 4,), checksum=None
    )


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers"
    np.arange(LEAST_MAPPED, dtype="<f4").tofile(path)
    return path


@pytest.mark.parametrize("num_bytes", [0, 8, LEAST_MAPPED])
@pytest.mark.parametrize("offset", [0, 4, 4096])
def test_values_are_those_of_the_bytes(numbers, offset, num_bytes):
    found = stored(numbers, offset, num_bytes).read("x")
    expected = np.arange(offset // 4, offset // 4 + num_bytes // 4, dtype="f4")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("num_bytes", [8, LEAST_MAPPED])
def test_values_at_odd_bytes_are_aligned(tmp_path, num_bytes):
    expected = np.arange(num_bytes // 4, dtype="<f4")
    (tmp_path / "x").write_bytes(b"odd" + expected.tobytes())
    found = stored(tmp_path / "x", 3, num_bytes).read("x")
    assert found.flags.aligned
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("num_bytes", [8, LEAST_MAPPED])
def test_a_file_that_has_become_shorter_is_refused(numbers, num_bytes):
    tensor = stored(numbers, 4, num_bytes)
    numbers.write_bytes(numbers.read_bytes()[:num_bytes])
    with pytest.raises(InputError, match="cut short"):
        tensor.read("x")


def test_small_tensors_hold_no_file_descriptors(numbers):
    num_before = len(list(Path("/proc/self/fd").iterdir()))
    kept = [stored(numbers, 4 * index, 8).read("x") for index in range(100)]
    assert len(list(Path("/proc/self/fd").iterdir())) == num_before
    assert len(kept) == 100


@pytest.mark.parametrize(
    ("offset", "num_bytes", "shape"),
    [
        (0, 16, (5,)),
        (0, 16, (2**62, 4, 4)),  # 16 modulo 2**64
        (0, 0, (0, 2**62)),
        (0, 0, (2**33, 0)),
        (0, 0, (2**11, 0, 2**11)),
        (0, 4, (1,) * 1000),
        (90, 16, (4,)),
        (-4, 16, (4,)),
        (2**63, 16, (4,)),
    ],
)
def test_impossible_places_and_shapes_are_refused(offset, num_bytes, shape):
    tensor = StoredTensor("x", offset, num_bytes, "float32", shape, checksum=None)
    with pytest.raises(InputError):
        check_bounds(tensor, "x", value_size=4, file_size=100)


def test_values_whose_size_varies_are_no_more_than_their_bytes():
    """As strings are, whose shape nothing else bounds."""
    string = StoredTensor("x", 0, 16, "string", (2,), checksum=None)
    check_bounds(string, "x", value_size=0, file_size=100)
    with pytest.raises(InputError, match="has the shape"):
        check_bounds(dataclasses.replace(string, shape=(2**40,)), "x", 0, 100)
