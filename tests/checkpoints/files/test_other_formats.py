import gzip
import pickle
import zipfile

import h5py
import pytest

from bert_keras.checkpoints.files import safetensors_files
from bert_keras.checkpoints.files.other_formats import refuse_others
from bert_keras.errors import InputError


class Marker:
    """Leaves a trace when it is unpickled."""

    unpickled = False

    def __reduce__(self):
        return setattr, (Marker, "unpickled", True)


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("pytorch_model.bin", "writes safetensors"),
        ("model.pt", "writes safetensors"),
        ("weights.PTH", "writes safetensors"),
        ("tf_model.h5", "safe_serialization"),
        ("model.keras", "Load it where it was made"),
        ("flax_model.msgpack", "writes safetensors"),
        ("model.onnx", "checkpoint that it was made from"),
        ("model.gguf", "safetensors"),
        ("uncased_L-12_H-768_A-12.zip", "Unpack it first"),
        ("model.tar.gz", "Unpack it first"),
        ("model.tgz", "Unpack it first"),
    ],
)
def test_names_tell_a_format_and_the_way_out(name, way_out, tmp_path):
    (tmp_path / name).write_bytes(b"anything")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(InputError, match=way_out) as refused:
            refuse_others(path)
        assert name in str(refused.value)


def test_contents_tell_a_format_whatever_its_name(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("data.pkl", b"")
    (tmp_path / "pickle").write_bytes(pickle.dumps(Marker()))
    (tmp_path / "gzip").write_bytes(gzip.compress(b"text"))
    (tmp_path / "pointer").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:")
    (tmp_path / "page").write_bytes(b"<!doctype html><html>")
    h5py.File(tmp_path / "hdf5", "w").close()
    found = {}
    for path in list(tmp_path.iterdir()):
        renamed = path.rename(tmp_path / f"{path.name}.safetensors")
        with pytest.raises(InputError) as refused:
            safetensors_files.open_weights(renamed)
        found[path.name] = str(refused.value).partition("safetensors, ")[2]
    assert found["zip"].startswith("an archive")
    assert found["pickle"].startswith("a pickle")
    assert found["gzip"].startswith("an archive")
    assert found["pointer"].endswith("Run git lfs pull in its folder.")
    assert found["page"].startswith("a web page")
    assert found["hdf5"].startswith("weights of Keras in HDF5")
    assert not Marker.unpickled


def test_a_pickle_shorter_than_the_length_of_a_header_is_told(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(pickle.dumps({}, 2))
    assert (tmp_path / "model.safetensors").stat().st_size < 8
    with pytest.raises(InputError, match="model.safetensors, a pickle"):
        safetensors_files.open_weights(tmp_path)


def test_what_is_not_known_is_not_refused(tmp_path):
    # The length of this header begins as a pickle does.
    (tmp_path / "model.safetensors").write_bytes(b"\x80\x02\0\0\0\0\0\0{}")
    (tmp_path / "vocab.txt").write_bytes(b"[PAD]\n")
    refuse_others(tmp_path)
    refuse_others(tmp_path / "model.safetensors")
    refuse_others(tmp_path / "vocab.txt")
