import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from tests import golden_model

GOLDEN = str(golden_model.FOLDER / "bert_model.ckpt")


def values(seed=0) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    shapes = {"b/table": (50, 4), "a/kernel": (5, 6), "c/bias": (7,), "d/scalar": ()}
    found = {name: np.asarray(generator.normal(size=shape), "f4") for name, shape in shapes.items()}
    return found | {"global_step": np.asarray(2**40), "e/empty": np.zeros((0, 3), "f4")}


def read_by_tensorflow(prefix: str) -> dict[str, np.ndarray]:
    reader = tf.train.load_checkpoint(prefix)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def read_all(weights: Weights) -> dict[str, np.ndarray]:
    return {name: weights.read(name) for name in weights.shapes}


def assert_equal(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, strict=True)


@pytest.mark.parametrize("checkpoint", ["bert_model.ckpt", "trained_model.ckpt-8"])
def test_what_tensorflow_1_wrote_is_read_as_tensorflow_reads_it(checkpoint):
    prefix = str(golden_model.FOLDER / checkpoint)
    expected = read_by_tensorflow(prefix)
    weights = bundle.open_weights(prefix)
    assert_equal(read_all(weights), expected)
    assert weights.shapes == {name: value.shape for name, value in expected.items()}


@pytest.mark.parametrize("ending", [".index", ".data-00000-of-00001", ".meta"])
def test_any_of_the_files_names_the_checkpoint(ending):
    assert bundle.open_weights(GOLDEN + ending).shapes == bundle.open_weights(GOLDEN).shapes


def test_one_file_is_what_tensorflow_writes(tmp_path):
    expected = values()
    bundle.write(str(tmp_path / "ours"), expected)
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "theirs"),
        tensor_names=list(expected),
        shape_and_slices=[""] * len(expected),
        tensors=list(expected.values()),
    )
    for suffix in (bundle.DATA_SUFFIX, bundle.INDEX_SUFFIX):
        ours, theirs = tmp_path / f"ours{suffix}", tmp_path / f"theirs{suffix}"
        assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(
    ("max_shard_size", "num_files"), [(None, 1), (10**6, 1), (900, 2), (150, 3), (1, 6)]
)
def test_data_files_hold_no_more_than_asked(max_shard_size, num_files, tmp_path):
    expected = values()
    prefix = str(tmp_path / "x")
    bundle.write(prefix, values(seed=1), 300)  # an older one, of another number of files
    bundle.write(prefix, expected, max_shard_size)
    assert_equal(read_by_tensorflow(prefix), expected)
    assert_equal(read_all(bundle.open_weights(prefix)), expected)
    data = [f"x.data-{part:05d}-of-{num_files:05d}" for part in range(num_files)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*data, "x.index"]
    largest = max(value.nbytes for value in expected.values())
    for name in data:
        assert (tmp_path / name).stat().st_size <= max(max_shard_size or 10**6, largest)


def test_tensors_are_asked_for_one_data_file_after_the_other(tmp_path):
    expected = {name: np.ones(10, "f4") for name in "abcd"}

    class Lazy(dict):
        def __getitem__(self, name):
            parts_written.append(len(list(tmp_path.glob("*.index"))))
            return super().__getitem__(name)

    parts_written = []
    bundle.write(str(tmp_path / "x"), Lazy(expected), 40)
    assert parts_written == [0, 0, 1, 2]  # the first of the next is there before a file is written


def test_a_failure_leaves_the_older_checkpoint(tmp_path):
    def unreadable():
        raise InputError("damaged")

    class Failing(dict):
        def __getitem__(self, name):
            return super().__getitem__(name) if name == "a" else unreadable()

    prefix = str(tmp_path / "x")
    bundle.write(prefix, values())
    with pytest.raises(InputError, match="damaged"):
        bundle.write(prefix, Failing(dict.fromkeys("abc", np.ones(9, "f4"))), 1)
    assert_equal(read_by_tensorflow(prefix), values())
    assert len(list(tmp_path.iterdir())) == 2


def test_other_file_systems():
    bundle.write("ram://bundle/x", values(), 900)
    assert_equal(read_all(bundle.open_weights("ram://bundle/x")), values())


def test_halves_become_float32_without_rounding(tmp_path):
    number = np.random.default_rng(0).normal(size=100)
    half = {"f": tf.constant(number, tf.float16), "b": tf.constant(number, tf.bfloat16)}
    bundle.write(str(tmp_path / "x"), half)
    expected = {name: tf.cast(value, tf.float32).numpy() for name, value in half.items()}
    assert_equal(read_all(bundle.open_weights(tmp_path / "x")), expected)


@pytest.mark.parametrize("value", [np.ones(2), np.ones(2, "i4"), np.ones(2, bool), ["text"]])
def test_other_types_are_refused_when_they_are_read(value, tmp_path):
    bundle.write(str(tmp_path / "x"), {"odd": tf.constant(value), "good": np.ones(2, "f4")})
    weights = bundle.open_weights(tmp_path / "x")
    np.testing.assert_array_equal(weights.read("good"), [1, 1])
    with pytest.raises(InputError, match="odd of type"):
        weights.read("odd")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"no .*x\.index"):
        bundle.open_weights(tmp_path / "x")
    bundle.write(str(tmp_path / "x"), values(), 150)
    (tmp_path / "x.data-00001-of-00003").unlink()
    with pytest.raises(InputError, match=r"x\.data-00001-of-00003 cannot be read"):
        bundle.open_weights(tmp_path / "x")


def test_an_altered_value_is_found_by_its_checksum(tmp_path):
    bundle.write(str(tmp_path / "x"), values())
    data = tmp_path / "x.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[0] ^= 1
    data.write_bytes(content)
    weights = bundle.open_weights(tmp_path / "x")
    with pytest.raises(InputError, match="b/table does not have its checksum"):
        weights.read("b/table")
    np.testing.assert_array_equal(weights.read("a/kernel"), values()["a/kernel"])


def test_data_that_is_cut_is_refused_before_anything_is_read(tmp_path):
    bundle.write(str(tmp_path / "x"), values())
    data = tmp_path / "x.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(InputError, match="is at bytes .* of 959"):
        bundle.open_weights(tmp_path / "x")


def test_rows_without_end_are_refused_though_they_take_no_bytes(tmp_path):
    bundle.write(f"{tmp_path}/x", {"rows": tf.zeros((2**33, 0)), "one": np.ones(1, "f4")})
    with pytest.raises(InputError, match=r"rows has the shape \[8589934592, 0\]"):
        bundle.open_weights(tmp_path / "x")
