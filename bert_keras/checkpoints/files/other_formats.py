"""Files of weights that are not read, told by name and content, and the way out of each."""

import os
from typing import NamedTuple

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.files import is_folder, named_errors, open_bytes


class _Format(NamedTuple):
    what: str
    endings: tuple[str, ...]  # of names, in lower case
    marks: tuple[bytes, ...]  # what contents begin with
    way_out: str


_WITH_TRANSFORMERS = (
    "In transformers, AutoModel.from_pretrained(folder).save_pretrained(folder) writes safetensors."
)
_FORMATS = (
    _Format(
        "a pickle of PyTorch, which may run any code when it is loaded and is never unpickled",
        (".bin", ".pt", ".pth", ".pkl", ".pickle"),
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        _WITH_TRANSFORMERS,
    ),
    _Format(
        "weights of Keras in HDF5",
        (".h5", ".hdf5"),
        (b"\x89HDF\r\n\x1a\n",),
        "In transformers before version 5, TFAutoModel.from_pretrained(folder)"
        ".save_pretrained(folder, safe_serialization=True) writes safetensors.",
    ),
    _Format(
        "a model of Keras",
        (".keras",),
        (),
        "Load it where it was made, and save the weights as a checkpoint or as safetensors.",
    ),
    _Format("weights of Flax", (".msgpack",), (), _WITH_TRANSFORMERS),
    _Format(
        "a graph of ONNX",
        (".onnx",),
        (),
        "Take the checkpoint that it was made from. bert_keras.serving.OnnxModel runs a folder of "
        "run_export.",
    ),
    _Format(
        "a model for LiteRT",
        (".tflite",),
        (b"\x1c\x00\x00\x00TFL3", b"\x20\x00\x00\x00TFL3"),
        "Take the checkpoint that it was made from. bert_keras.serving.LiteRTModel runs a folder "
        "of run_export.",
    ),
    _Format("weights of llama.cpp", (".gguf",), (b"GGUF",), "Take the model's safetensors."),
    _Format(
        "an archive (PyTorch's pickles are archives too), which is never unpacked here",
        (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z"),
        (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf"),
        "Unpack it first, with unzip or tar xf, and name the folder that comes out.",
    ),
    _Format(
        "a pointer of Git LFS to the file",
        (),
        (b"version https://git-lfs",),
        "Run git lfs pull in its folder.",
    ),
    _Format(
        "a web page", (), (b"<!doctype", b"<!DOCTYPE", b"<html"), "Download the file that it shows."
    ),
)


def refuse_others(path: str | os.PathLike) -> None:
    """Raises InputError if a file, or one in a folder, is of a format that is known and not read.

    A file is told by its name, or else by how its content begins; those in a folder by name.
    """
    path = os.fspath(path)
    if is_folder(path):
        files = [tf.io.gfile.join(path, name) for name in sorted(tf.io.gfile.listdir(path))]
        content = b""
    else:
        files = [path]
        with named_errors(path, "read"), open_bytes(path) as file:
            content = file.read(32)
        if content[3:9] == b"\0\0\0\0\0{":  # safetensors, with any length of the header before
            return
    for known in _FORMATS:
        for file in files:
            if file.lower().endswith(known.endings) or content.startswith(known.marks):
                raise InputError(
                    "Weights are read from checkpoints of TensorFlow (.index and .data files) and "
                    f"from safetensors. Received: {file}, {known.what}. {known.way_out}"
                )
