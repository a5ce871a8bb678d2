import json

import numpy as np
import pytest
import safetensors
import safetensors.numpy

from bert_keras.checkpoints.files import safetensors_files
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from tests.checkpoints.files.test_bundle import assert_equal, read_all, values


def weights_of(arrays: dict[str, np.ndarray]) -> Weights:
    return Weights("", {name: array.shape for name, array in arrays.items()}, arrays.__getitem__)


def write(folder, arrays, max_shard_size=None) -> None:
    safetensors_files.write(str(folder), weights_of(arrays), max_shard_size)


def read(path) -> dict[str, np.ndarray]:
    return read_all(safetensors_files.open_weights(path))


def files_of(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_the_library_writes_is_read(tmp_path):
    safetensors.numpy.save_file(values(), tmp_path / "any.safetensors")
    assert_equal(read(tmp_path / "any.safetensors"), values())


def test_the_library_reads_what_is_written(tmp_path):
    write(tmp_path, values())
    assert files_of(tmp_path) == ["model.safetensors"]
    assert_equal(safetensors.numpy.load_file(tmp_path / "model.safetensors"), values())
    assert_equal(read(tmp_path), values())
    with safetensors.safe_open(tmp_path / "model.safetensors", "np") as file:
        assert file.metadata()["format"] == "pt"  # transformers asks for it
    (tmp_path / "other").touch()
    assert (tmp_path / "model.safetensors").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize(("max_shard_size", "num_files"), [(10**6, 1), (900, 2), (150, 3), (1, 6)])
def test_files_hold_no_more_than_asked(max_shard_size, num_files, tmp_path):
    write(tmp_path, values(seed=1), 300)  # an older one, of another number of files
    (tmp_path / "model-1.safetensors").write_bytes(b"not ours")
    write(tmp_path, values(), max_shard_size)
    assert_equal(read(tmp_path), values())
    files = [f"model-{part + 1:05d}-of-{num_files:05d}.safetensors" for part in range(num_files)]
    expected = [*files, "model.safetensors.index.json"] if num_files > 1 else ["model.safetensors"]
    assert files_of(tmp_path) == sorted([*expected, "model-1.safetensors"])


def test_the_index_is_that_of_transformers(tmp_path):
    write(tmp_path, values(), 150)
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    assert index["metadata"] == {"total_size": sum(value.nbytes for value in values().values())}
    for name, file in index["weight_map"].items():
        with safetensors.safe_open(tmp_path / file, "np") as shard:
            np.testing.assert_array_equal(shard.get_tensor(name), values()[name])


@pytest.mark.parity
def test_halves_become_float32_without_rounding(tmp_path):
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("safetensors.torch")
    number = torch.randn(100, generator=torch.Generator().manual_seed(0))
    half = {"f": number.half(), "b": number.bfloat16()}
    library.save_file(half, tmp_path / "model.safetensors")
    assert_equal(read(tmp_path), {name: value.float().numpy() for name, value in half.items()})


@pytest.mark.parametrize("dtype", ["f8", "i4", "u8", bool])
def test_other_types_are_refused_when_they_are_read(dtype, tmp_path):
    arrays = {"odd": np.ones(2, dtype), "good": np.ones(2, "f4")}
    safetensors.numpy.save_file(arrays, tmp_path / "model.safetensors")
    weights = safetensors_files.open_weights(tmp_path)
    np.testing.assert_array_equal(weights.read("good"), [1, 1])
    with pytest.raises(InputError, match="odd of type"):
        weights.read("odd")


def test_one_altered_bit_is_found_in_files_of_ours(tmp_path):
    write(tmp_path, values())
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    weights = safetensors_files.open_weights(path)
    with pytest.raises(InputError, match="does not have its checksum"):
        read_all(weights)


@pytest.mark.parametrize(
    "checksums",
    [
        "0",
        "[]",
        "null",
        "false",
        '""',
        "{}",
        "{",
        '{"a": 5}',
        '{"a": 5, "b": "5"}',
        '{"a":1,"b":true}',
    ],
)
def test_checksums_are_whole_or_the_file_is_damaged(checksums, tmp_path):
    arrays, metadata = dict.fromkeys("ab", np.ones(2, "f4")), {"bert_keras.crc32c": checksums}
    safetensors.numpy.save_file(arrays, tmp_path / "model.safetensors", metadata)
    with pytest.raises(InputError, match="damaged"):
        safetensors_files.open_weights(tmp_path)


def test_empty_tensors_are_read_but_none_of_rows_without_end(tmp_path):
    shapes = {"a": (0,), "b": (0, 768), "c": (30522, 0)}
    arrays = {name: np.empty(shape, "f4") for name, shape in shapes.items()}
    write(tmp_path, arrays)
    assert_equal(read(tmp_path), arrays)
    safetensors.numpy.save_file({"a": np.empty((2**40, 0), "f4")}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"a has the shape \[1099511627776, 0\]"):
        safetensors_files.open_weights(tmp_path)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"model\.safetensors cannot be read"):
        safetensors_files.open_weights(tmp_path)
    write(tmp_path, values(), 150)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(InputError, match=r"model-00002-of-00003\.safetensors cannot be read"):
        safetensors_files.open_weights(tmp_path)


def test_an_index_leads_to_no_other_folder(tmp_path):
    (tmp_path / "inner").mkdir()
    write(tmp_path, {"a": np.ones(2, "f4")})
    for file in (
        "../model.safetensors",
        str(tmp_path / "model.safetensors"),
        "gs://b/x.safetensors",
    ):
        index = {"weight_map": {"a": file}}
        (tmp_path / "inner/model.safetensors.index.json").write_text(json.dumps(index))
        with pytest.raises(InputError, match="files of its folder"):
            safetensors_files.open_weights(tmp_path / "inner")


@pytest.mark.parametrize("length", [2**63, 2**40, safetensors_files.LARGEST_HEADER + 1])
def test_a_huge_header_is_refused_unread(length, tmp_path):
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write(length.to_bytes(8, "little"))
        file.truncate(2**30)  # of holes
    with pytest.raises(InputError, match=f"{length} bytes in a file of {2**30}"):
        safetensors_files.open_weights(path)


def test_a_failure_leaves_the_older_files(tmp_path):
    write(tmp_path, values(), 150)
    before = files_of(tmp_path)
    arrays = {"a": np.ones(9, "f4"), "b": np.ones(9, "f4")}

    def fail(name):
        if name == "b":
            raise InputError("damaged")
        return arrays[name]

    with pytest.raises(InputError, match="damaged"):
        safetensors_files.write(
            str(tmp_path), Weights("", weights_of(arrays).shapes, fail), max_shard_size=1
        )
    assert files_of(tmp_path) == before
    assert_equal(read(tmp_path), values())


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match="missing cannot be written"):
        write(tmp_path / "missing", values())


def test_buckets_are_written_and_not_read():
    import tensorflow as tf

    tf.io.gfile.makedirs("ram://safetensors")
    write("ram://safetensors", values(), 900)
    assert len(tf.io.gfile.listdir("ram://safetensors")) == 3
    with pytest.raises(InputError, match="local disk"):
        safetensors_files.open_weights("ram://safetensors")
