"""Named tensors in safetensors files: the format of Hugging Face's checkpoints.

A file is a header in JSON and then the values. The format has no checksums: nothing shows that
values in a file of others were altered. Files written here have the CRC-32C of each tensor in
their metadata, which other readers pass over, and it is compared on reading.
"""

import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Set

import google_crc32c
import numpy as np
import safetensors
import tensorflow as tf
from safetensors.numpy import save_file

from bert_keras.checkpoints.files.json_files import read_json
from bert_keras.checkpoints.files.other_formats import refuse_others
from bert_keras.checkpoints.files.stored_tensor import StoredTensor, check_bounds, damaged
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from bert_keras.files import (
    UNFINISHED,
    file_size,
    folder_of,
    has_scheme,
    is_folder,
    named_errors,
    open_bytes,
    remove_if_exists,
    replace_files,
    write_text,
)

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
SHARD_FILE = "model-{:05d}-of-{:05d}.safetensors"
CHECKSUMS = "bert_keras.crc32c"  # key of the metadata; a JSON text of name -> checksum
LARGEST_HEADER = 2**24  # bytes, also of an index; those of BERT-Large have less than 2**16
# name in the format -> name here, bytes of a value; types that are not read keep their name
DTYPES = {
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
}
_NAMES = {"float32": "F32", "int64": "I64"}  # what is written
_OWN_FILE = re.compile(r"model(-\d{5}-of-\d{5})?\.safetensors|model\.safetensors\.index\.json")
_SHARD_NAME = re.compile(r"\w[\w.-]*\.safetensors")


def is_there(folder: str) -> bool:
    """Whether a folder holds such weights under the names of transformers."""
    return any(
        tf.io.gfile.exists(tf.io.gfile.join(folder, name)) for name in (WEIGHTS_FILE, INDEX_FILE)
    )


def open_weights(path: str | os.PathLike) -> Weights:
    """Opens weights under the names in their files.

    What headers and index say is held against each other and against the sizes of the files,
    before any tensor is read.

    Args:
        path: a .safetensors file, the index of several, or a folder with either.

    Raises:
        InputError: there is none; it is cut short or damaged, or of another format.
    """
    path = os.fspath(path)
    if has_scheme(path):
        raise InputError(
            f"safetensors are read from a local disk. Received: {path}. Copy the folder to one, "
            "for instance with gsutil cp -r."
        )
    file = path
    if is_folder(path):
        single, index = (tf.io.gfile.join(path, name) for name in (WEIGHTS_FILE, INDEX_FILE))
        file = index if tf.io.gfile.exists(index) and not tf.io.gfile.exists(single) else single
    tensors = _read_index(file) if file.endswith(".json") else _read_header(file)
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    return Weights(path, shapes, lambda name: tensors[name].read(name))


def _read_header(path: str) -> dict[str, StoredTensor]:
    """Where each tensor of a file lies."""
    refuse_others(path)
    if (size := file_size(path)) < 8:
        raise damaged(path, f"{size} bytes, fewer than the length of a header takes")
    with named_errors(path, "read"), open_bytes(path) as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(length) if length <= min(size - 8, LARGEST_HEADER) else b""
    if not header.startswith(b"{"):
        raise damaged(path, f"its header is none, or of {length} bytes in a file of {size}")
    try:
        with safetensors.safe_open(path, "np"):  # proves that the tensors fill the file exactly
            entries = json.loads(header)
        checksums = _checksums(entries.pop("__metadata__", None) or {}, entries.keys())
    except (safetensors.SafetensorError, ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from error
    tensors = {}
    for name, entry in entries.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        dtype, value_size = DTYPES.get(entry["dtype"], (entry["dtype"], 0))
        tensors[name] = StoredTensor(
            file=path,
            offset=begin,
            num_bytes=end - begin,
            dtype=dtype,
            shape=tuple(entry["shape"]),
            checksum=checksums[name],
            checksum_begin=_described(entry["dtype"], entry["shape"]),
        )
        check_bounds(tensors[name], name, value_size, size)
    return tensors


def _checksums(metadata: dict[str, str], names: Set[str]) -> dict[str, int | None]:
    """The checksum of each tensor, None in a file of others; ValueError if they are not for all."""
    if CHECKSUMS not in metadata:
        return dict.fromkeys(names)
    checksums = json.loads(metadata[CHECKSUMS])
    is_of_all = isinstance(checksums, dict) and checksums.keys() == names
    if not is_of_all or not all(type(checksum) is int for checksum in checksums.values()):
        raise ValueError("its checksums are not those of its tensors")
    return checksums


def _read_index(path: str) -> dict[str, StoredTensor]:
    """Where each tensor of several files lies, by the index that lies beside them."""
    if file_size(path) > LARGEST_HEADER:
        raise damaged(path, f"an index of more than {LARGEST_HEADER} bytes")
    index = read_json(path, dict)
    try:
        weight_map, metadata = index["weight_map"], index.get("metadata") or {}
        shards = sorted(set(weight_map.values()))
        total_size = metadata.get("total_size")
    except (TypeError, KeyError, AttributeError) as error:
        raise damaged(path, f"not an index of safetensors ({error!r})") from error
    for shard in shards:
        if not isinstance(shard, str) or not _SHARD_NAME.fullmatch(shard):
            raise InputError(
                f"An index names .safetensors files of its folder. Received: {shard!r} in {path}"
            )
    folder = folder_of(path)
    tensors = {}
    for shard in shards:
        found = _read_header(tf.io.gfile.join(folder, shard))
        listed = {name for name, file in weight_map.items() if file == shard}
        if differing := sorted(listed ^ found.keys()):
            raise damaged(path, f"{shard} and the index differ in {', '.join(differing[:3])}")
        tensors |= found
    num_bytes = sum(tensor.num_bytes for tensor in tensors.values())
    if total_size is not None and total_size != num_bytes:
        raise damaged(path, f"a total_size of {total_size} bytes, but the files have {num_bytes}")
    return tensors


def _described(dtype: str, shape: list[int]) -> bytes:
    """What a checksum covers beside the values."""
    return f"{dtype}{list(shape)}".encode()


def write(folder: str, weights: Weights, max_shard_size: int | None = None) -> None:
    """Writes `model.safetensors`, or several files and their index, as transformers names them.

    They are written under other names and renamed, the index last, so that what is found under
    these names is always a complete set, the old or the new one, or nothing.

    Args:
        folder: an existing one.
        weights: float32 or int64; those of one file are in memory together.
        max_shard_size: bytes of tensors in a file, but for a larger tensor, which has one of its
            own. None: one file.

    Raises:
        InputError: the folder cannot be written; a tensor cannot be read.
    """
    shards = list(_shards(weights, max_shard_size))
    files = [WEIGHTS_FILE]
    if len(shards) > 1:
        files = [SHARD_FILE.format(shard + 1, len(shards)) for shard in range(len(shards))]
    place = None if has_scheme(folder) else folder
    with (
        named_errors(folder, "written"),
        tempfile.TemporaryDirectory(UNFINISHED, ".", place) as unfinished,
    ):
        weight_map, total_size = {}, 0
        for file, names in zip(files, shards, strict=True):
            total_size += _write_file(f"{unfinished}/{file}", weights, names)
            weight_map |= dict.fromkeys(names, file)
        if len(shards) > 1:
            index = {"metadata": {"total_size": total_size}, "weight_map": weight_map}
            write_text(f"{unfinished}/{INDEX_FILE}", json.dumps(index, indent=2) + "\n")
            files.append(INDEX_FILE)
        paths = [tf.io.gfile.join(folder, file) for file in files]
        replace_files([f"{unfinished}/{file}" for file in files], paths)
    for file in tf.io.gfile.listdir(folder):
        if _OWN_FILE.fullmatch(file) and file not in files:
            remove_if_exists(tf.io.gfile.join(folder, file))


def _shards(weights: Weights, max_shard_size: int | None) -> Iterator[list[str]]:
    """The names of the tensors of one file after the other."""
    names, num_bytes = [], 0
    for name, shape in weights.shapes.items():
        size = math.prod(shape) * 4
        if names and max_shard_size is not None and num_bytes + size > max_shard_size:
            yield names
            names, num_bytes = [], 0
        names.append(name)
        num_bytes += size
    yield names


def _write_file(path: str, weights: Weights, names: list[str]) -> int:
    """Writes one file; returns the bytes of its tensors."""
    values = {name: np.require(weights.read(name), requirements="C") for name in names}
    checksums = {}
    for name, value in values.items():
        begin = google_crc32c.value(_described(_NAMES[value.dtype.name], list(value.shape)))
        checksums[name] = google_crc32c.extend(begin, value)
    metadata = {"format": "pt", CHECKSUMS: json.dumps(checksums)}  # transformers asks for a format
    try:
        save_file(values, path, metadata)
    except safetensors.SafetensorError as error:
        raise InputError(f"{path} cannot be written: {error}. Make room for it.") from error
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, 0o666 & ~mask)  # the library lets nobody else read it
    return sum(value.nbytes for value in values.values())
